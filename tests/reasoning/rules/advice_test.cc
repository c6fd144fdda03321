// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reasoning/diagnosis.h"
#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::ReadLogText;
using testing::Steps;

const std::string kAdvice = "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n";

TEST(Advice, IsShownAndCountsForNothing) {
  EXPECT_TRUE(FindingsOfLog(Steps(5) + kAdvice).Has("advice-text"));
  const FactStore facts = ReadLogText(Steps(5) + kAdvice);
  EXPECT_TRUE(Diagnose(FactView(facts)).classes.empty());
}

TEST(Advice, StaysSilentElsewhere) { EXPECT_FALSE(FindingsOfLog(Steps(5)).Has("advice-text")); }

}  // namespace
}  // namespace assay
