// SPDX-License-Identifier: Apache-2.0
#include "reasoning/job_records.h"

#include <algorithm>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/run_end.h"
#include "reasoning/run_window.h"

namespace assay {
namespace {

constexpr double kGrace = 900;  // seconds: clocks differ, and a process that is ended may still write

bool WentWell(const SchedulerRecord& record) {
  static constexpr std::string_view kStates[] = {"COMPLETED", "COMPLETING", "RUNNING", "PENDING",
                                                 "Completed", "Succeeded",  "Running"};
  return std::any_of(std::begin(kStates), std::end(kStates),
                     [&](std::string_view s) { return EqualsIgnoreCase(record.state, s); });
}

// The scheduler starts such a job again by itself.
bool IsRequeued(const SchedulerRecord& record) {
  static constexpr std::string_view kStates[] = {"PREEMPTED", "NODE_FAIL", "BOOT_FAIL", "REQUEUED"};
  return std::any_of(std::begin(kStates), std::end(kStates), [&](std::string_view s) { return record.state == s; });
}

bool HasResumed(const FactView& facts) {
  return std::any_of(facts.All<SignatureHit>().begin(), facts.All<SignatureHit>().end(), [](const SignatureHit& hit) {
    return hit.origin == Origin::kRunLog && hit.signature->role == Role::kResume;
  });
}

// The listing breaks off behind the record, so that the record of a later attempt may be what is lost.
bool BreaksOffBehind(const FactView& facts, const SchedulerRecord& record) {
  return std::any_of(facts.anomalies().begin(), facts.anomalies().end(), [&](const Anomaly& anomaly) {
    return anomaly.kind == AnomalyKind::kTruncated && anomaly.cite.source == record.cite.source &&
           anomaly.cite.end > record.cite.end;
  });
}

// The run's log was written to long after this record's end.
bool LogGoesOnAfter(const FactView& facts, const SchedulerRecord& record) {
  const std::optional<Time> end = EndOf(facts, record);
  const LogWindow window = WindowOfRun(facts);
  return end && window.last && window.last->zoned == end->zoned && window.last->seconds > end->seconds + kGrace && window.first &&
         window.first->seconds < end->seconds;
}

}  // namespace

std::optional<Time> EndOf(const FactView& facts, const SchedulerRecord& record) {
  std::optional<Time> end;
  for (const Reading& reading : facts.All<Reading>()) {
    if (reading.name == "scheduler." + record.job + ".end" && reading.cite == record.cite) end = reading.time;
  }
  return end;
}

bool LogEndsBy(const FactView& facts, const SchedulerRecord& record) {
  const std::optional<Time> end = EndOf(facts, record);
  const LogWindow window = WindowOfRun(facts);
  return end && window.last && window.last->zoned == end->zoned && window.first && window.first->seconds < end->seconds &&
         window.last->seconds <= end->seconds + kGrace;
}

bool EndedAgain(const FactView& facts, const SchedulerRecord& record) {
  const auto all = facts.All<SchedulerRecord>();
  return std::any_of(all.begin(), all.end(), [&](const SchedulerRecord& later) {
    return later.job == record.job && later.cite.source == record.cite.source && &later > &record && later.exit_code;
  });
}

bool WentOnWell(const FactView& facts, const SchedulerRecord& record) {
  const auto all = facts.All<SchedulerRecord>();
  return std::any_of(all.begin(), all.end(), [&](const SchedulerRecord& later) {
    return later.job == record.job && later.cite.source == record.cite.source && &later > &record && WentWell(later);
  });
}

std::vector<const SchedulerRecord*> DecidingRecords(const FactView& facts) {
  const auto all = facts.All<SchedulerRecord>();
  const bool finished = RunEnd(facts).TrainingFinished() || ExtentOfRun(facts).reached_plan;
  std::vector<const SchedulerRecord*> deciding;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!BelongsToRun(all[i])) continue;
    // An attempt that the log outlived is history too where its successor's record is missing.
    const bool outlived = (IsRequeued(all[i]) && (finished || LogGoesOnAfter(facts, all[i]))) ||
                          (!WentWell(all[i]) && BreaksOffBehind(facts, all[i]) && HasResumed(facts));
    if (!WentOnWell(facts, all[i]) && !outlived) deciding.push_back(&all[i]);
  }
  return deciding;
}

}  // namespace assay
