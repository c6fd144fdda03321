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

}  // namespace
}  // namespace assay
