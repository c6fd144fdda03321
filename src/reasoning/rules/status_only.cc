// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/own_ids.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"ended-abnormally", "exception-absent"};
// An exception, or who ended the run: then nothing needs to be said of exceptions that are not there.
constexpr std::array<std::string_view, 9> kAsks{"traceback-user",  "sched-timeout",   "sched-cancel",
                                                "sched-preempt",   "sched-node-fail", "oom-kill-own",
                                                "wrapper-timeout", "wrapper-status",  "sched-oom"};

// Reports of a failed process that say nothing of their own about why.
bool IsReport(const SignatureHit& hit) {
  const std::string_view id = hit.signature->id;
  if (id == "docker-exit") return hit.Capture("status_count") != "0";
  if (hit.signature->role == Role::kFollower) return true;
  constexpr std::array<std::string_view, 6> kReports{"timeout-status", "srun-task-exit", "srun-task-signal",
                                                     "systemd-exit",   "sagemaker-exit", "rich-traceback"};
  return std::find(kReports.begin(), kReports.end(), id) != kReports.end();
}

// The text of an exception that stands alone, as the tail of a log or a pasted excerpt has it.
bool IsBareException(const SignatureHit& hit, const FactView& facts) {
  constexpr std::uint64_t kTail = 12;  // lines below: notes of the exception itself, reports of a launcher
  if (hit.signature->role != Role::kFailure || !IsExceptionText(hit.quote)) return false;
  if (LastProgress(facts, hit.cite.source) > hit.cite.begin) return false;
  return std::any_of(facts.All<LogShape>().begin(), facts.All<LogShape>().end(), [&](const LogShape& shape) {
    return shape.source == hit.cite.source && hit.cite.line + kTail >= shape.lines;
  });
}

// "[rank1]: pkg.ValueError: …" as the very last line, whatever exception it is.
bool EndsWithException(const LogShape& shape) {
  std::string_view text = Trim(shape.last_text);
  if (text.starts_with("[rank") || text.starts_with("E  ")) text = Trim(text.substr(std::min(text.find(' '), text.size())));
  const std::string_view name = text.substr(0, text.find(": "));
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
  const std::string_view last = name.substr(name.rfind('.') + 1);  // npos + 1 is 0
  return is_name && last.size() > 5 && last[0] >= 'A' && last[0] <= 'Z' &&
         (last.ends_with("Error") || last.ends_with("Exception"));
}

bool SaysMore(const Findings& out) {
  return std::any_of(out.all().begin(), out.all().end(), [](const Finding& f) {
    return !f.survived && std::find(f.info->symptom_of.begin(), f.info->symptom_of.end(), "crash") != f.info->symptom_of.end();
  });
}

void LookAtReports(const FactView& facts, const RunEnd& end, Findings& out) {
  // A run that made all its planned steps had its results: what follows is noise.
  if (SaysMore(out) || ExtentOfRun(facts).reached_plan) return;
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
    if (hit.origin != Origin::kRunLog || IsPodRow(hit.quote)) continue;
    if (!failure && !IsReport(hit) && !IsBareException(hit, facts)) continue;
    if (end.Of(hit) != Standing::kEnd || end.ResultsAt(hit.cite.source)) continue;
    Finding& finding = out.Add("status-only", "ended-abnormally",
                               fmt::format("The log reports: {}.", Printable(WithoutStop(hit.quote), 200)), {hit.cite});
    finding.rank = hit.rank;
    finding.time = hit.time;
    return;
  }
  for (const LogShape& shape : facts.All<LogShape>()) {
    // A metric such as "ValidationError: 0.12" follows steps, and the training goes on after it.
    if (!EndsWithException(shape) || StepsAfter(facts, shape.source, shape.last_line.begin) > 0 || end.ResultsAt(shape.source))
      continue;
    if (facts.source(shape.source).format != "text-log") continue;
    out.Add("status-only", "ended-abnormally",
            fmt::format("The log ends with an exception: {}.", Printable(WithoutStop(Trim(shape.last_text)), 200)),
            {shape.last_line});
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

// The log holds what goes to standard error at the end of a process (reports of launchers, shells and watchdogs), and no
// exception of the run's own among it: Python would have printed one.
void LookForAbsence(const FactView& facts, const RunEnd& end, Findings& out) {
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    const bool report = hit.signature->role == Role::kFollower || hit.signature->finding == "watchdog-timeout" ||
                        hit.signature->id == "shell-killed";
    if (!report || hit.origin != Origin::kRunLog || end.Of(hit) != Standing::kEnd) continue;
    const bool text = std::any_of(facts.All<SignatureHit>().begin(), facts.All<SignatureHit>().end(), [&](const SignatureHit& h) {
      return h.cite.source == hit.cite.source && h.signature->role == Role::kFailure && IsExceptionText(h.quote);
    });
    const bool traced = std::any_of(facts.All<Traceback>().begin(), facts.All<Traceback>().end(), [&](const Traceback& t) {
      return t.cite.source == hit.cite.source && KindOf(t) != ExceptionKind::kFollower;
    });
    if (text || traced || !IsRunsOwnLog(facts, hit.cite.source)) continue;
    out.Add("status-only", "exception-absent",
            "The log holds the reports of the end and no exception of the run's own before them.", {hit.cite});
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  LookAtReports(facts, end, out);
  const bool known = std::any_of(kAsks.begin(), kAsks.end(), [&](std::string_view id) { return out.Has(id); });
  if (!known) LookForAbsence(facts, end, out);
}

}  // namespace

extern const Rule status_only;
constinit const Rule status_only{
    .id = "status-only",
    .title = "An end of which only the status or a follower is told",
    .looks_at = "reports of launchers, shells and schedulers, error texts that name no cause, exceptions without their traceback",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
