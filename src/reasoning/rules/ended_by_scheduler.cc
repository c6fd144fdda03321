// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "reasoning/job_records.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 5> kYields{"sched-timeout", "sched-cancel", "sched-preempt", "sched-node-fail",
                                                  "wrapper-timeout"};

struct State {
  std::string_view state;
  std::string_view finding;
};
constexpr std::array kStates{
    State{"TIMEOUT", "sched-timeout"},     State{"DEADLINE", "sched-timeout"},   State{"CANCELLED", "sched-cancel"},
    State{"PREEMPTED", "sched-preempt"},   State{"Evicted", "sched-preempt"},    State{"NODE_FAIL", "sched-node-fail"},
    State{"BOOT_FAIL", "sched-node-fail"}, State{"NodeLost", "sched-node-fail"}, State{"DeadlineExceeded", "wrapper-timeout"}};

std::string_view FindingOf(const FactView& facts, const SchedulerRecord& record) {
  // A pod that was evicted for memory or disk is a case of those, not of other work that took its place. A description that does
  // not say for what has lost its message.
  const bool described = record.cite.source != kNoSource && facts.source(record.cite.source).format == "kubectl-describe";
  if (record.state == "Evicted" && (ContainsIgnoreCase(record.reason, "memory") || ContainsIgnoreCase(record.reason, "storage") ||
                                    (described && record.reason.empty())))
    return {};
  for (const State& known : kStates) {
    if (record.state == known.state || record.reason == known.state) return known.finding;
  }
  return {};
}

std::string Statement(const SchedulerRecord& record) {
  std::string out = fmt::format("The record of {} says {}", record.job.empty() ? "the job" : Printable(record.job, 60),
                                Printable(record.state, 60));
  if (!record.cancelled_by.empty()) out += fmt::format(" by {}", Printable(record.cancelled_by, 60));
  if (record.elapsed_seconds) out += fmt::format(" after {}", FormatSeconds(*record.elapsed_seconds));
  if (record.limit_seconds) out += fmt::format(" of {}", FormatSeconds(*record.limit_seconds));
  if (!record.reason.empty() && record.reason != record.state) out += fmt::format(" ({})", Printable(record.reason, 80));
  return out + ".";
}

// A step is cancelled with its job, whatever ended that: the job's own row says what did.
bool FollowsItsJob(const FactView& facts, const SchedulerRecord& step) {
  const std::size_t dot = step.job.find('.');
  if (dot == std::string::npos || step.state != "CANCELLED" || !step.cancelled_by.empty()) return false;
  const auto all = facts.All<SchedulerRecord>();
  return std::any_of(all.begin(), all.end(), [&](const SchedulerRecord& job) {
    return job.job == std::string_view(step.job).substr(0, dot) && job.cite.source == step.cite.source &&
           job.state != "CANCELLED";
  });
}

void Evaluate(const FactView& facts, Findings& out) {
  for (const SchedulerRecord* record : DecidingRecords(facts)) {
    const std::string_view finding = FindingOf(facts, *record);
    if (!finding.empty() && !FollowsItsJob(facts, *record))
      out.Add("ended-by-scheduler", finding, Statement(*record), {record->cite});
  }
}

}  // namespace

extern const Rule ended_by_scheduler;
constinit const Rule ended_by_scheduler{
    .id = "ended-by-scheduler",
    .title = "Who ended the job, as its scheduler or pod record says",
    .looks_at = "scheduler records of this run",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
