// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::ReadLogText;
using testing::Steps;

FactStore WithRecord(SchedulerRecord record) {
  FactStore facts = ReadLogText(Steps(5));
  record.job = "12";
  record.cite = {.source = SourceId{0}, .begin = 0, .end = 4};
  facts.Add(std::move(record));
  return facts;
}

TEST(EndedByScheduler, ReadsTheStates) {
  EXPECT_TRUE(FindingsOf(WithRecord({.state = "TIMEOUT", .belongs_because = "job 12"})).Has("sched-timeout"));
  EXPECT_TRUE(
      FindingsOf(WithRecord({.state = "CANCELLED", .cancelled_by = "1044", .belongs_because = "job 12"})).Has("sched-cancel"));
  EXPECT_TRUE(FindingsOf(WithRecord({.state = "Failed", .reason = "DeadlineExceeded", .belongs_because = "job 12"}))
                  .Has("wrapper-timeout"));
}

TEST(EndedByScheduler, LeavesOutOtherJobsAndOtherReasons) {
  EXPECT_FALSE(FindingsOf(WithRecord({.state = "TIMEOUT"})).Has("sched-timeout"));
  EXPECT_FALSE(FindingsOf(WithRecord({.state = "COMPLETED", .belongs_because = "job 12"})).Has("sched-timeout"));
  EXPECT_FALSE(
      FindingsOf(WithRecord({.state = "Evicted", .reason = "The node was low on resource: memory", .belongs_because = "pod"}))
          .Has("sched-preempt"));
}

TEST(EndedByScheduler, AnAttemptThatTheLogOutlivedIsHistory) {
  const std::string resumed = Steps(5) + "Resuming training from checkpoint: runs/last.pth\n" + Steps(5, 3, 200);
  const auto with = [](const std::string& log, std::string_view state, bool cut) {
    FactStore facts = ReadLogText(log);
    const SourceId listing = facts.AddSource({.path = "sacct.txt"});
    facts.Add(SchedulerRecord{.job = "12",
                              .state = std::string(state),
                              .belongs_because = "job 12",
                              .cite = {.source = listing, .begin = 0, .end = 40}});
    if (cut) facts.AddAnomaly({.kind = AnomalyKind::kTruncated, .cite = {.source = listing, .begin = 41, .end = 50}});
    return FindingsOf(facts);
  };
  EXPECT_TRUE(with(resumed, "PREEMPTED", false).Has("sched-preempt"));  // perhaps the second time
  EXPECT_FALSE(with(resumed + "Training finished.\n", "PREEMPTED", false).Has("sched-preempt"));
  EXPECT_TRUE(with(resumed + "Training finished.\n", "TIMEOUT", false).Has("sched-timeout"));
  EXPECT_FALSE(with(resumed, "TIMEOUT", true).Has("sched-timeout"));
  EXPECT_TRUE(with(Steps(5), "TIMEOUT", true).Has("sched-timeout"));
}

// Slurm cancels the steps of a job that meets its limit or fails: "12 TIMEOUT", "12.batch CANCELLED".
TEST(EndedByScheduler, AStepIsCancelledWithItsJob) {
  const auto with = [](std::string_view state, std::string by) {
    FactStore facts = WithRecord({.state = std::string(state), .belongs_because = "job 12"});
    facts.Add(SchedulerRecord{.job = "12.batch",
                              .state = "CANCELLED",
                              .cancelled_by = std::move(by),
                              .belongs_because = "job 12",
                              .cite = {.source = SourceId{0}, .begin = 5, .end = 9}});
    return FindingsOf(facts);
  };
  EXPECT_TRUE(with("TIMEOUT", "").Has("sched-timeout"));
  EXPECT_FALSE(with("TIMEOUT", "").Has("sched-cancel"));
  EXPECT_FALSE(with("FAILED", "").Has("sched-cancel"));
  EXPECT_TRUE(with("CANCELLED", "").Has("sched-cancel"));
  EXPECT_TRUE(with("FAILED", "1044").Has("sched-cancel"));
}

// The record says when the attempt ended, and the log goes on far beyond it: the successor's record is what is missing.
TEST(EndedByScheduler, AnAttemptWhoseEndTheLogPassesIsHistory) {
  const auto ended = [](double before_the_last_line) {
    FactStore facts = WithRecord({.state = "PREEMPTED", .belongs_because = "job 12"});
    const SchedulerRecord& record = FactView(facts).All<SchedulerRecord>().front();
    LogShape& shape = facts.Mutable<LogShape>().front();
    shape.last_time->seconds = shape.first_time->seconds + 7200;
    facts.Add(Reading{.name = "scheduler.12.end",
                      .time = Time{.seconds = shape.last_time->seconds - before_the_last_line, .zoned = false},
                      .cite = record.cite});
    return FindingsOf(facts).Has("sched-preempt");
  };
  EXPECT_TRUE(ended(20));
  EXPECT_FALSE(ended(3600));
  EXPECT_TRUE(ended(9000));  // before the log began: a clock of another zone tells nothing
}

}  // namespace
}  // namespace assay
