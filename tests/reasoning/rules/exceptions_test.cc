// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

TEST(Exceptions, NamesTheFrameOfTheUser) {
  const Findings found = FindingsOfLog(Steps(5) + Trace("ValueError: too few values."));
  const Finding* finding = found.Find("traceback-user");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->statement, "ValueError in /home/u/proj/train.py:12 (main): too few values.");
  EXPECT_EQ(finding->cites.size(), 2U);
}

TEST(Exceptions, LeavesOutWhatWasCaught) {
  EXPECT_FALSE(FindingsOfLog(Trace("ModuleNotFoundError: No module named 'fast'") + Steps(5)).Has("traceback-user"));
  EXPECT_FALSE(FindingsOfLog(Steps(3) + Trace("OSError: busy") + Steps(4, 3, 30)).Has("traceback-user"));
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("KeyboardInterrupt")).Has("traceback-user"));
}

// A bar is drawn once more when the exception unwinds it; no step follows.
TEST(Exceptions, StandsAboveARedrawnBar) {
  EXPECT_TRUE(FindingsOfLog("Iteration:   0%|          | 0/2349 [00:00<?, ?it/s]\n" + Trace("RuntimeError: shapes differ") +
                            "Iteration:   0%|          | 0/2349 [00:01<?, ?it/s]\n")
                  .Has("traceback-user"));
}

TEST(Exceptions, PrefersTheFirstFailureToItsFollowers) {
  const Findings found =
      FindingsOfLog(Steps(5) + Trace("AttributeError: 'NoneType' object has no attribute 'shape'") +
                    Trace("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "/opt/venv/bin/torchrun"));
  ASSERT_NE(found.Find("traceback-user"), nullptr);
  EXPECT_NE(found.Find("traceback-user")->statement.find("AttributeError"), std::string::npos);
}

// An exception that only reports a failed part of the run is an end, and no exception of the user's code.
TEST(Exceptions, CountsAReportAsAnEndOnly) {
  const Findings found = FindingsOfLog(Steps(5) + Trace("RuntimeError: DataLoader worker (pid(s) 4242) exited unexpectedly"));
  EXPECT_FALSE(found.Has("traceback-user"));
  EXPECT_TRUE(found.Has("ended-abnormally"));
}

}  // namespace
}  // namespace assay
