// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

TEST(FastExit, SeesAnEndBeforeAnyStep) {
  const Findings found =
      FindingsOfLog("usage: train.py [-h] [--lr LR]\ntrain.py: error: unrecognized arguments: --lr-sched cosine\n");
  EXPECT_TRUE(found.Has("fast-exit"));
  EXPECT_TRUE(found.Has("usage-error"));
}

TEST(FastExit, StaysSilentWhereWorkWasDone) {
  const Findings found = FindingsOfLog("usage: plot.py [-h]\nplot.py: error: unrecognized arguments: --x\n" + Steps(5));
  EXPECT_FALSE(found.Has("fast-exit"));
  EXPECT_FALSE(found.Has("usage-error"));
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("ValueError: bad")).Has("fast-exit"));
}

TEST(FastExit, StaysSilentAfterAMinute) {
  EXPECT_FALSE(FindingsOfLog("2026-03-01 07:00:00 loading\n" + Trace("ValueError: bad") + "2026-03-01 07:03:00 job ends\n")
                   .Has("fast-exit"));
}

TEST(FastExit, KnowsThatStepsWereMade) {
  EXPECT_TRUE(FindingsOfLog(Steps(5) + Trace("ValueError: bad")).Has("steps-made"));
  EXPECT_FALSE(FindingsOfLog("loading\n" + Trace("ValueError: bad")).Has("steps-made"));
  EXPECT_FALSE(FindingsOfLog(Steps(5) + "Resuming training from checkpoint: runs/last.pth\n" + Trace("ValueError: bad"))
                   .Has("steps-made"));
}

TEST(FastExit, SaysNothingOfALogThatJustStops) { EXPECT_FALSE(FindingsOfLog("loading data\nbuilding model\n").Has("fast-exit")); }

}  // namespace
}  // namespace assay
