// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"sigkill-unexplained"};

// Each of them names who sent the signal.
constexpr std::array<std::string_view, 11> kSenders{"sched-timeout",  "sched-cancel",    "sched-preempt", "sched-node-fail",
                                                    "sched-oom",      "oom-kill-own",    "global-oom",    "wrapper-timeout",
                                                    "rlimit-refusal", "oom-kill-cgroup", "cpu-time-limit"};

bool NamesTheSender(const Findings& out) {
  return std::any_of(kSenders.begin(), kSenders.end(), [&](std::string_view id) { return out.Has(id); });
}

bool IsKill(const SignatureHit& hit) {
  const std::string_view id = hit.signature->id;
  return id == "shell-killed" || id == "exit-status-kill" || (id == "srun-task-signal" && hit.Capture("signal") == "Killed");
}

void Evaluate(const FactView& facts, Findings& out) {
  if (NamesTheSender(out)) return;
  // "Killed   timeout -s KILL 3h python …": a wrapper that sends the signal itself.
  for (const SignatureHit* hit : facts.Hits("shell-killed")) {
    if (hit->quote.find(" timeout -") != std::string::npos) return;
  }
  const RunEnd end(facts);
  // Where a process failed by itself the launcher kills the others.
  if (end.first() != nullptr && KindOf(*end.first()) == ExceptionKind::kOwn) return;
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.origin != Origin::kRunLog || !IsKill(hit) || end.Of(hit) != Standing::kEnd || end.ResultsAt(hit.cite.source))
      continue;
    const std::string_view pid = hit.Capture("pid");
    Finding& finding = out.Add("ended-by-signal", "sigkill-unexplained",
                               fmt::format("A process{} was killed by SIGKILL, and nothing that was read names the sender.",
                                           pid.empty() ? "" : fmt::format(" (pid {})", pid)),
                               {hit.cite});
    finding.rank = hit.rank;
    finding.time = hit.time;
  }
}

}  // namespace

extern const Rule ended_by_signal;
constinit const Rule ended_by_signal{
    .id = "ended-by-signal",
    .title = "A kill whose sender nothing names",
    .looks_at = "reports of shells, launchers and schedulers about SIGKILL",
    .yields = kYields,
    .asks = kSenders,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
