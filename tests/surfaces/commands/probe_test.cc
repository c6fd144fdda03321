// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/command_run.h"

namespace assay {
namespace {

// The run of this case is long over and was elsewhere: nothing of this machine may be taken for it.
TEST(Probe, TakesNothingOfThisMachineForARunFromElsewhere) {
  const auto run = testing::RunAssay({"probe", testing::CaseRun("crs-01")});
  EXPECT_EQ(run.status, 0);
  // The disk under its folder is the one thing that is shown: the path says so.
  for (const char* what : {"  process ", "  kernel: ", "  job ", "  gpu."})
    EXPECT_EQ(run.out.find(what), std::string::npos) << run.out;
}

TEST(Probe, RefusesAPidThatIsNone) {
  EXPECT_EQ(testing::RunAssay({"probe", testing::CaseRun("crs-01"), "--pid", "x"}).status, 2);
}

}  // namespace
}  // namespace assay
