// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/command_run.h"

namespace assay {
namespace {

TEST(Explain, PrintsThePageOfAnId) {
  const auto run = testing::RunAssay({"explain", "oom-host-limit"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("## Direct evidence"), std::string::npos);
}

TEST(Explain, ProposesWhatWasMeant) {
  const auto run = testing::RunAssay({"explain", "oom-host-limt"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("oom-host-limit"), std::string::npos);
}

TEST(Explain, SaysThatNumbersBelongToAReport) {
  const auto run = testing::RunAssay({"explain", "F3"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("count within one report"), std::string::npos);
  EXPECT_EQ(run.err.find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace assay
