// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

TEST(AfterResults, TakesNoiseAtShutDownForNoFailure) {
  const Findings found = FindingsOfLog(Steps(5) + "Training complete!\nSegmentation fault (core dumped)\n");
  EXPECT_TRUE(found.Has("exit-after-results"));
  EXPECT_FALSE(found.Has("sigsegv"));
}

TEST(AfterResults, LeavesAFailureBeforeTheEndAlone) {
  const Findings found = FindingsOfLog(Steps(5) + "Segmentation fault (core dumped)\n");
  EXPECT_FALSE(found.Has("exit-after-results"));
  EXPECT_TRUE(found.Has("sigsegv"));
}

// An evaluation or export after the training may fail like any other work.
TEST(AfterResults, LeavesAnExceptionOfLaterWorkAlone) {
  const Findings found = FindingsOfLog(Steps(5) + "Training complete!\n" + Trace("KeyError: 'test'"));
  EXPECT_TRUE(found.Has("traceback-user"));
}

}  // namespace
}  // namespace assay
