// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "evidence/probes/probe.h"
#include "tests/support/command_run.h"

namespace assay {
namespace {

TEST(Doctor, NamesEveryProbe) {
  const auto run = testing::RunAssay({"doctor"});
  EXPECT_EQ(run.status, 0);
  for (const Probe* probe : probes::All()) EXPECT_NE(run.out.find(probe->id), std::string::npos) << probe->id;
}

}  // namespace
}  // namespace assay
