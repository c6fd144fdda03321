// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

TEST(LaunchPath, NamesThePath) {
  const Findings found =
      FindingsOfLog("loading\n" + Trace("FileNotFoundError: [Errno 2] No such file or directory: '/data/train.csv'"));
  ASSERT_NE(found.Find("launch-error"), nullptr);
  EXPECT_NE(found.Find("launch-error")->statement.find("/data/train.csv"), std::string::npos);
}

TEST(LaunchPath, StaysSilentAfterSteps) {
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("FileNotFoundError: [Errno 2] No such file or directory: '/data/a.jpg'"))
                   .Has("launch-error"));
  EXPECT_FALSE(
      FindingsOfLog(Trace("FileNotFoundError: [Errno 2] No such file or directory: '/cache/x'") + Steps(5)).Has("launch-error"));
}

}  // namespace
}  // namespace assay
