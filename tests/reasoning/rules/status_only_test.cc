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

TEST(StatusOnly, ARowOfAListingOfPodsIsNoEnd) {
  EXPECT_FALSE(
      FindingsOfLog(Steps(5) + "web-7d4b9c-abcde   0/1   CrashLoopBackOff   31 (2m ago)   2d\n").Has("ended-abnormally"));
  EXPECT_TRUE(FindingsOfLog(Steps(5) + "  Warning  BackOff  2m   kubelet  Back-off restarting failed container main in pod a_b\n")
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

TEST(StatusOnly, SeesAnExceptionWithoutItsTraceback) {
  EXPECT_TRUE(FindingsOfLog("RuntimeError: can't start new thread\n").Has("ended-abnormally"));
  EXPECT_TRUE(FindingsOfLog(Steps(5) + "[rank1]: pkg.errors.OddError: nobody knows\n").Has("ended-abnormally"));
  EXPECT_TRUE(FindingsOfLog("RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
                            "CUDA kernel errors might be asynchronously reported at some other API call.\n")
                  .Has("ended-abnormally"));
}

TEST(StatusOnly, StaysSilentForExceptionTextsThatWereSurvived) {
  EXPECT_FALSE(FindingsOfLog("RuntimeError: can't start new thread\n" + Steps(20)).Has("ended-abnormally"));
  EXPECT_FALSE(
      FindingsOfLog(Steps(5) + "Training complete!\nValueError: I/O operation on closed file.\n").Has("ended-abnormally"));
  EXPECT_FALSE(
      FindingsOfLog(Steps(5) + "WARNING optional import failed: ImportError: no module named x\n").Has("ended-abnormally"));
}

TEST(StatusOnly, SaysWhereTheReportsOfTheEndHoldNone) {
  EXPECT_TRUE(FindingsOfLog(Steps(5) + "[rank: 0] Received SIGTERM: 15\n").Has("exception-absent"));
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("ValueError: bad") + "[rank: 0] Received SIGTERM: 15\n").Has("exception-absent"));
  EXPECT_FALSE(
      FindingsOfLog(Steps(5) + "RuntimeError: can't start new thread\n[rank: 0] Received SIGTERM: 15\n").Has("exception-absent"));
  EXPECT_FALSE(FindingsOfLog(Steps(5)).Has("exception-absent"));
}

}  // namespace
}  // namespace assay
