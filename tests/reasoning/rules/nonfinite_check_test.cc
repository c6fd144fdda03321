// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

TEST(NonfiniteCheck, SeesTheCheckThatEndedTheRun) {
  EXPECT_TRUE(FindingsOfLog(Steps(5) + Trace("FloatingPointError: invalid value (nan) encountered in jit(update)"))
                  .Has("nonfinite-check"));
  EXPECT_TRUE(FindingsOfLog(Steps(5) + Trace("RuntimeError: Function 'LogBackward0' returned nan values in its 0th output."))
                  .Has("nonfinite-check"));
  EXPECT_TRUE(
      FindingsOfLog(Steps(5) + Trace("RuntimeError: Training failed: NaN persisted for 3 epochs")).Has("nonfinite-check"));
}

TEST(NonfiniteCheck, TakesTheLastLineWhereTheTracebackIsMissing) {
  EXPECT_TRUE(
      FindingsOfLog("RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.\n").Has("nonfinite-check"));
}

TEST(NonfiniteCheck, StaysSilentWhereTheRunWentOn) {
  EXPECT_FALSE(FindingsOfLog(Steps(2) + Trace("RuntimeError: Function 'LogBackward0' returned nan values in its 0th output.") +
                             Steps(40, 2, 20))
                   .Has("nonfinite-check"));
}

TEST(NonfiniteCheck, StaysSilentWhereABarFollowsTheLine) {
  EXPECT_FALSE(FindingsOfLog("RuntimeError: Function 'MseLossBackward0' returned nan values in its 0th output.\n"
                             "Epoch 0: 100%|####| 100/100 [00:05<00:00, 19.1it/s, loss=0.412]\n")
                   .Has("nonfinite-check"));
}

TEST(NonfiniteCheck, StaysSilentWhereAnotherExceptionEndedTheRun) {
  EXPECT_FALSE(FindingsOfLog(Steps(5) +
                             "anomaly mode: RuntimeError: Function 'LogBackward0' returned nan values in its 0th output.\n" +
                             Trace("KeyError: 'loss'"))
                   .Has("nonfinite-check"));
}

TEST(NonfiniteCheck, StaysSilentForAMetricThatRefusesNan) {
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("ValueError: Input contains NaN.")).Has("nonfinite-check"));
}

}  // namespace
}  // namespace assay
