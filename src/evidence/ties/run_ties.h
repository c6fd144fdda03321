// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the artifacts of a run say of the place and the time in which it ran, and with it whether a line of a kernel log, a
// scheduler's record or a reading of this machine is about that run. Nothing belongs by likeness: a process of the same name that
// died in the same second is another process. Taxonomy 1.6, D2.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

struct Tie {
  std::string value;
  std::string said;  // "train.log:12": where the run's own artifacts name it
};

// From the run's first sign of life to its last, in seconds.
struct RunWindow {
  double first = 0;
  double last = 0;
};

struct RunTies {
  std::string project;                    // real path of the project's folder
  std::vector<Tie> hosts;                 // names, without their domain
  std::vector<Tie> pids;                  // decimal
  std::vector<Tie> jobs;                  // Slurm job ids, names of pods
  std::vector<Tie> cgroups;               // paths below the mount, of processes that were found to be the run's
  std::optional<RunWindow> window;        // since the epoch, UTC
  std::optional<RunWindow> local_window;  // in the local time of the run's host, where its log has no zone
};

// The clocks of a kernel's buffer and of a log differ by this much on one host (taxonomy 1.4).
inline constexpr double kKernelTolerance = 2;
// After its last line a process may live on in silence: until its next line would have come, or while it hangs.
inline constexpr double kSilence = 900;
// A line about the whole machine must lie nearer to the run's last sign of life.
inline constexpr double kHostSilence = 120;

// `project`: real path of the run's project, or empty. Uses the logs, the launcher's reports, the configuration and the files'
// names.
RunTies DeriveRunTies(const FactView& facts, std::string project);

// True when the run names no host, or names this one.
bool HostAgrees(const RunTies& ties, std::string_view host);
const Tie* FindTie(const std::vector<Tie>& ties, std::string_view value);
// The job or pod of which this path of a cgroup speaks ("/slurm/uid_0/job_12/step_0"), or the cgroup itself; nullptr when none.
const Tie* FindCgroupTie(const RunTies& ties, std::string_view path);
// The job of this record: its id without step and array member, or its pod without container.
std::string_view JobOfRecord(std::string_view job);

// Why a line of a kernel log belongs to the run, or empty. `time` is the line's, zoned or local; `host` the machine that wrote
// it, empty where that is not known. `beside` is true for a log that was saved with the run: its place stands for the host.
std::string WhyKernelLineBelongs(const SignatureHit& hit, const RunTies& ties, const std::optional<Time>& time,
                                 std::string_view host, bool beside);

// Sets belongs_because of what was read from saved kernel logs, saved schedulers' records and pods' descriptions.
void TieSavedEvidence(const RunTies& ties, FactStore& facts);

}  // namespace assay
