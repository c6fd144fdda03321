// SPDX-License-Identifier: Apache-2.0
#pragma once

// Facts about machines: live readings, saved listings, scheduler records, version control.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "evidence/facts/source.h"

namespace assay {

// One value read from a machine. `name` is dotted: "gpu.0.utilisation", "disk./data.free", "cgroup.memory.oom_kill",
// "process.4242.rss". Live probes and saved listings use the same names: evidence/listings/*.h and evidence/probes/*.cc list
// them.
struct Reading {
  static constexpr std::string_view kTitle = "a reading of a machine";
  std::string name;
  double value = 0;
  std::string text;             // where the value is not a number
  std::string unit;             // "bytes", "percent", "count", "celsius", ""
  bool live = false;            // read now, from this machine; false: from a listing saved beside the run
  std::string belongs_because;  // why it is evidence for this run (pid, cgroup, host, path, time); empty: it is not
  std::optional<Time> time;
  Citation cite;
};

// A process that looks like training, seen by the live probe.
struct ProcessSeen {
  static constexpr std::string_view kTitle = "a process on this machine";
  std::int64_t pid = 0;
  std::int64_t parent = 0;
  std::string name;
  std::string command;
  char state = '?';  // R S D Z T as /proc prints it
  std::string working_directory;
  std::string cgroup;
  double started = 0;  // seconds since the epoch
  std::string belongs_because;
  Citation cite;
};

// One job or step as the scheduler records it (sacct, scontrol, kubectl, a saved listing of them).
struct SchedulerRecord {
  static constexpr std::string_view kTitle = "a scheduler's record of a job";
  std::string job;           // "1234", "1234.batch", pod name
  std::string state;         // "TIMEOUT", "OUT_OF_MEMORY", "CANCELLED", "OOMKilled" …
  std::string cancelled_by;  // uid, where said
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string reason;
  std::string node;
  std::optional<double> limit_seconds;
  std::optional<double> elapsed_seconds;
  std::optional<double> requested_memory;  // bytes
  std::optional<double> peak_memory;       // bytes
  std::string belongs_because;             // why it is this run's job; empty: not shown to be
  Citation cite;
};

struct GitState {
  static constexpr std::string_view kTitle = "the state of the git work tree";
  std::string commit;  // 40 hex digits, or empty: none yet
  std::string branch;
  std::optional<bool> dirty;    // nullopt: not checked
  std::string recorded_commit;  // the commit that the run itself recorded, if any
  Citation cite;
};

// A live reading tied to nothing of the run is no evidence; rules ask this first.
template <class T>
bool BelongsToRun(const T& fact) {
  return !fact.belongs_because.empty();
}

}  // namespace assay
