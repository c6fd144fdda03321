// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/command_run.h"

namespace assay {
namespace {

// The run of this case is long over and was elsewhere: nothing of this machine may be taken for it.
TEST(Probe, TakesNothingOfThisMachineForARunFromElsewhere) {
  const auto run = testing::RunAssay({"probe", testing::CaseRun("crs-01")});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("nothing on this machine belongs to the run"), std::string::npos) << run.out;
}

TEST(Probe, RefusesAPidThatIsNone) { EXPECT_EQ(testing::RunAssay({"probe", testing::CaseRun("crs-01"), "--pid", "x"}).status, 2); }

}  // namespace
}  // namespace assay
