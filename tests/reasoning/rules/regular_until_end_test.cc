// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::FindingsOfLog;
using testing::IsNotChecked;
using testing::ReadLogText;
using testing::Steps;
using testing::Trace;

TEST(RegularUntilEnd, SeesRegularStepsBeforeALimit) {
  EXPECT_TRUE(
      FindingsOfLog(Steps(30) + "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-03-01T07:05:10 DUE TO TIME LIMIT ***\n")
          .Has("clean-until-end"));
}

TEST(RegularUntilEnd, StaysSilentAfterAHang) {
  const Findings found =
      FindingsOfLog(Steps(30) + "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-03-01T09:05:10 DUE TO TIME LIMIT ***\n");
  EXPECT_TRUE(found.Has("sched-timeout"));
  EXPECT_FALSE(found.Has("clean-until-end"));
}

TEST(RegularUntilEnd, StaysSilentWhereTheRunHadTrouble) {
  EXPECT_FALSE(FindingsOfLog(Steps(30) + Trace("ValueError: bad") +
                             "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-03-01T07:05:10 ***\n")
                   .Has("clean-until-end"));
  EXPECT_FALSE(FindingsOfLog(Steps(30)).Has("clean-until-end"));
}

// The end's own line has no time: the last line with one is the last step, however long ago that was.
TEST(RegularUntilEnd, IsNotCheckedWhereTheEndHasNoTime) {
  const Findings found = FindingsOfLog(Steps(30) + "timeout: sending signal TERM to command 'python'\n");
  EXPECT_TRUE(found.Has("wrapper-timeout"));
  EXPECT_FALSE(found.Has("clean-until-end"));
  EXPECT_TRUE(IsNotChecked(found, "clean-until-end"));
}

TEST(RegularUntilEnd, KnowsTheEndFromTheLimitOfAWrapper) {
  for (const bool hung : {false, true}) {
    FactStore facts = ReadLogText(Steps(30) + "timeout: sending signal TERM to command 'python'\n");
    facts.Add(ConfigValue{.key = "timeout",
                          .value = hung ? "5h" : "5m",
                          .origin = ConfigValue::Origin::kJobScript,
                          .cite = {.source = SourceId{0}, .end = 4}});
    EXPECT_EQ(FindingsOf(facts).Has("clean-until-end"), !hung);
  }
}

TEST(RegularUntilEnd, IsNotCheckedWithoutTimes) {
  std::string log;
  for (int i = 1; i < 20; ++i) log += "step " + std::to_string(i) + " loss 0.5\n";
  const Findings found =
      FindingsOfLog(log + "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-03-01T07:05:10 DUE TO TIME LIMIT ***\n");
  EXPECT_FALSE(found.Has("clean-until-end"));
  EXPECT_TRUE(IsNotChecked(found, "clean-until-end"));
}

}  // namespace
}  // namespace assay
