// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"ended-abnormally"};

// Reports of a failed process that say nothing of their own about why.
bool IsReport(const SignatureHit& hit) {
  const std::string_view id = hit.signature->id;
  if (id == "docker-exit") return hit.Capture("status_count") != "0";
  if (hit.signature->role == Role::kFollower) return true;
  constexpr std::array<std::string_view, 6> kReports{"timeout-status", "srun-task-exit", "srun-task-signal",
                                                     "systemd-exit",   "sagemaker-exit", "rich-traceback"};
  return std::find(kReports.begin(), kReports.end(), id) != kReports.end();
}

bool SaysMore(const Findings& out) {
  return std::any_of(out.all().begin(), out.all().end(), [](const Finding& f) {
    return !f.survived && std::find(f.info->symptom_of.begin(), f.info->symptom_of.end(), "crash") != f.info->symptom_of.end();
  });
}

void Evaluate(const FactView& facts, Findings& out) {
  // A run that made all its planned steps had its results: what follows is noise.
  if (SaysMore(out) || ExtentOfRun(facts).reached_plan) return;
  const RunEnd end(facts);
  for (const Traceback* t : end.uncaught()) {
    if (KindOf(*t) == ExceptionKind::kOwn) continue;
    Finding& finding = out.Add("status-only", "ended-abnormally",
                               fmt::format("{}: {}.", Printable(t->exception, 80), Printable(WithoutStop(t->message), 160)),
                               {t->exception_cite});
    finding.rank = t->rank;
    return;
  }
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    const bool failure = hit.signature->role == Role::kFailure && hit.signature->finding.empty();
    if (hit.origin != Origin::kRunLog || (!failure && !IsReport(hit))) continue;
    if (end.Of(hit) != Standing::kEnd || end.ResultsAt(hit.cite.source)) continue;
    Finding& finding = out.Add("status-only", "ended-abnormally",
                               fmt::format("The log reports: {}.", Printable(WithoutStop(hit.quote), 200)), {hit.cite});
    finding.rank = hit.rank;
    finding.time = hit.time;
    return;
  }
  for (const SchedulerRecord& record : facts.All<SchedulerRecord>()) {
    if (!BelongsToRun(record) || (record.state != "FAILED" && record.state != "Error" && record.state != "CrashLoopBackOff"))
      continue;
    out.Add("status-only", "ended-abnormally",
            fmt::format("The record of {} says {}{}.", Printable(record.job, 60), record.state,
                        record.exit_code ? fmt::format(" with exit code {}", *record.exit_code) : ""),
            {record.cite});
    return;
  }
}

}  // namespace

extern const Rule status_only;
constinit const Rule status_only{
    .id = "status-only",
    .title = "An end of which only the status or a follower is told",
    .looks_at = "reports of launchers, shells and schedulers, and error texts that name no cause",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
