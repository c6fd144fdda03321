// SPDX-License-Identifier: Apache-2.0
#pragma once

// A probe is one cheap, read-only look at this machine as it is now. Each file of this folder is one entry; the build derives the
// table. Looking and understanding are apart: `collect` runs in a forked child under a deadline and hands over text, `interpret`
// makes facts of that text and touches nothing. So a test feeds text, or a root folder that stands for "/"; and a probe that
// hangs on a dead mount loses only what comes after, with the name of what it hung on.
//
// A reading is evidence for the run only if host, process, control group, path and time say so (evidence/ties/run_ties.h); then
// belongs_because says which. Secrets are never read out: no environment, and command lines pass the secret filter before they
// leave the child.

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "evidence/facts/fact_store.h"
#include "evidence/ties/run_ties.h"
#include "platform/file_system.h"
#include "platform/process.h"

namespace assay {

struct ProbeContext {
  const FileSystem& files;      // may be rooted in a fixture
  std::string project;          // real path of the project's folder
  RunTies ties;                 // what to look for: job ids for the scheduler
  bool is_this_machine = true;  // false: `files` is a fixture, so that neither commands nor system calls may be asked
  std::string nvml_library;     // tests: load this instead of the driver's
};

// Where collect puts what it finds, at once, so that it survives a hang.
class ProbeOutput {
 public:
  explicit ProbeOutput(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  void Text(std::string_view text) { Frame('T', text); }
  // What is looked at next; named when the probe hangs on it.
  void Looking(std::string_view at) { Frame('L', at); }
  // Something could not be looked at: "the GPU", "there is no NVIDIA driver on this machine".
  void NotChecked(std::string_view what, std::string_view why) { Frame('N', std::string(what) + "\n" + std::string(why)); }

 private:
  void Frame(char kind, std::string_view payload);
  std::function<void(std::string_view)> write_;
};

struct CapturedText {
  SourceId source = kNoSource;
  std::string_view text;
};

struct Probe {
  std::string_view id;
  std::string_view title;
  std::string_view reads;  // files and commands
  std::string_view cost;
  std::string_view privileges;  // what it needs to see more than its own user's things
  void (*collect)(const ProbeContext& context, ProbeOutput& output);
  void (*interpret)(const CapturedText& captured, const RunTies& ties, FactStore& facts);
};

// Inside collect; commands stop before the probe's own deadline does, so that they are named and ended.
inline constexpr double kProbeDeadline = 2.0;
inline constexpr double kCommandDeadline = 1.5;

namespace probes {
std::span<const Probe* const> All();
}  // namespace probes

}  // namespace assay
