// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

TEST(EndedBySignal, SaysThatTheSenderIsUnknown) {
  EXPECT_TRUE(FindingsOfLog(Steps(5) + "run.sh: line 21: 40119 Killed                  python train.py --epochs 30\n")
                  .Has("sigkill-unexplained"));
  EXPECT_TRUE(FindingsOfLog(Steps(5) + "command terminated with exit code 137\n").Has("sigkill-unexplained"));
}

TEST(EndedBySignal, StaysSilentWhereTheSenderIsNamed) {
  EXPECT_FALSE(
      FindingsOfLog(Steps(5) +
                    "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-03-01T07:00:50 DUE TO TIME LIMIT ***\nKilled\n")
          .Has("sigkill-unexplained"));
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("KeyError: 'x'") + "Killed\n").Has("sigkill-unexplained"));
}

TEST(EndedBySignal, StaysSilentForAFormerAttempt) {
  EXPECT_FALSE(FindingsOfLog(Steps(5) + "Killed\nResuming training from checkpoint runs/last.ckpt\n" + Steps(5, 3, 100))
                   .Has("sigkill-unexplained"));
}

}  // namespace
}  // namespace assay
