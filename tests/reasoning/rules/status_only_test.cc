// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

TEST(StatusOnly, SeesAnEndThatOnlyALauncherReports) {
  EXPECT_TRUE(FindingsOfLog(Steps(5) + "srun: error: n1: task 0: Exited with exit code 1\n").Has("ended-abnormally"));
}

TEST(StatusOnly, SeesAnEndThatOnlyAPeerReports) {
  EXPECT_TRUE(FindingsOfLog(Steps(5) + "[rank: 0] Received SIGTERM: 15\n").Has("ended-abnormally"));
  EXPECT_TRUE(FindingsOfLog(Steps(5) + "╭───── Traceback (most recent call last) ─────╮\n│ /p/train.py:88 in main │\n╰──────╯\n")
                  .Has("ended-abnormally"));
}

TEST(StatusOnly, StaysSilentWhereMoreIsKnown) {
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("ValueError: bad") + "srun: error: n1: task 0: Exited with exit code 1\n")
                   .Has("ended-abnormally"));
}

TEST(StatusOnly, StaysSilentAfterResultsAndForFormerAttempts) {
  EXPECT_FALSE(
      FindingsOfLog(Steps(5) + "Training complete!\nsrun: error: n1: task 0: Exited with exit code 1\n").Has("ended-abnormally"));
  EXPECT_FALSE(
      FindingsOfLog(Steps(5) + "srun: error: n1: task 0: Exited with exit code 1\n" + Steps(5, 2, 100)).Has("ended-abnormally"));
}

}  // namespace
}  // namespace assay
