// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "reasoning/pace.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"
#include "reasoning/wrapper_limits.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"clean-until-end"};
constexpr std::array<std::string_view, 10> kAsks{"loss-nonfinite",  "loss-hidden-nan", "oom-kill-own",  "sched-cancel",
                                                 "sched-node-fail", "sched-preempt",   "sched-timeout", "sigkill-unexplained",
                                                 "wrapper-status",  "wrapper-timeout"};

constexpr double kGap = 120;           // seconds without a step that need no explanation
constexpr double kLogIntervals = 1.5;  // of the usual time between logged steps: no further one was due yet
constexpr std::array<std::string_view, 8> kOutside{"sched-timeout",   "sched-cancel",   "sched-preempt", "sched-node-fail",
                                                   "wrapper-timeout", "wrapper-status", "oom-kill-own",  "sigkill-unexplained"};

bool IsOutside(std::string_view finding) { return std::find(kOutside.begin(), kOutside.end(), finding) != kOutside.end(); }

// An error of the run's own: it did not end by another's hand alone.
const Citation* OwnTrouble(const FactView& facts, const RunEnd& end) {
  for (const Traceback* t : end.uncaught()) {
    if (t->exception != "KeyboardInterrupt" && KindOf(*t) != ExceptionKind::kFollower) return &t->exception_cite;
  }
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.signature->role != Role::kFailure || hit.origin != Origin::kRunLog || IsOutside(hit.signature->finding)) continue;
    if (end.Of(hit) == Standing::kEnd) return &hit.cite;
  }
  return nullptr;
}

struct End {
  std::optional<Time> time;
  Citation cite;
};
// The earliest line that says who ended the run, and when: the time stands in the line, or before it.
std::optional<End> FindEnd(const FactView& facts, const RunEnd& run, const Findings& out) {
  std::optional<End> end;
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.origin != Origin::kRunLog || !IsOutside(hit.signature->finding) || run.Of(hit) != Standing::kEnd) continue;
    const auto time = TimeIn(hit.quote);
    if (!end || (!end->time && time)) end = End{.time = time ? time : hit.time, .cite = hit.cite};
  }
  for (const Finding& finding : out.all()) {
    if (!end && IsOutside(finding.info->id) && !finding.survived) end = End{.time = finding.time, .cite = finding.cites.front()};
  }
  return end;
}

// A wrapper ends the run when its limit has passed since the start, which was not after the first line.
std::optional<Time> TimeOfLimit(const FactView& facts, SourceId source) {
  const std::vector<WrapperLimit> limits = WrapperLimits(facts);
  if (limits.size() != 1) return std::nullopt;
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (shape.source != source || !shape.first_time) continue;
    return Time{.seconds = shape.first_time->seconds + limits.front().seconds, .zoned = shape.first_time->zoned};
  }
  return std::nullopt;
}

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd run(facts);
  auto end = FindEnd(facts, run, out);
  if (!end) return;
  const auto step = FindLastStep(facts);
  if (!step || step->rows < 3 || OwnTrouble(facts, run) != nullptr) return;
  for (const std::string_view bad : {"loss-nonfinite", "loss-hidden-nan", "watchdog-timeout"}) {
    const Finding* finding = out.Find(bad);
    if (finding != nullptr && !finding->survived) return;
  }
  // The last time of the log serves nobody: where the end has none of its own it is the time of the last step.
  const bool wrapper = out.Has("wrapper-status") || out.Has("wrapper-timeout");
  if (!end->time && wrapper) end->time = TimeOfLimit(facts, step->cite.source);
  if (!step->time || !end->time || step->time->zoned != end->time->zoned) {
    out.NotChecked("clean-until-end", "the log does not tell the time of its last step and of its end on one clock");
    return;
  }
  const double gap = end->time->seconds - step->time->seconds;
  if (gap < -kGap) {
    out.NotChecked("clean-until-end", "the record of the end and the steps are on different clocks");
    return;
  }
  if (gap > std::max(kGap, kLogIntervals * step->usual_interval)) return;
  Finding& finding =
      out.Add("regular-until-end", "clean-until-end",
              fmt::format("Steps came regularly until {} before the end.", gap < 1 ? "a moment" : FormatSeconds(gap)),
              {step->cite, end->cite});
  finding.time = step->time;
}

}  // namespace

extern const Rule regular_until_end;
constinit const Rule regular_until_end{
    .id = "regular-until-end",
    .title = "Whether the run worked regularly until something outside ended it",
    .looks_at = "times of the last logged steps and of the record that ended the run",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
