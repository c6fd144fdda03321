// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/reading.h"

namespace assay {
namespace {

using testing::ColumnValues;
using testing::ReadLogText;

constexpr std::string_view kBlock =
    "-----------------------------------------\n"
    "| rollout/                |             |\n"
    "|    ep_len_mean          | 217         |\n"
    "|    ep_rew_mean          | -166        |\n"
    "| time/                   |             |\n"
    "|    fps                  | 704         |\n"
    "|    total_timesteps      | 20480       |\n"
    "| train/                  |             |\n"
    "|    learning_rate        | 0.0003      |\n"
    "|    loss                 | 31.7        |\n"
    "-----------------------------------------\n";

TEST(StableBaselines, ReadsProgressAndReward) {
  const FactStore facts = ReadLogText(std::string(kBlock) + std::string(kBlock));
  const FactView view(facts);
  ASSERT_EQ(view.tables().size(), 1U);
  EXPECT_EQ(view.tables().front().writer, "stable-baselines");
  EXPECT_EQ(ColumnValues(view, "ep_rew_mean"), (std::vector<double>{-166, -166}));
  EXPECT_EQ(ColumnValues(view, "learning_rate"), (std::vector<double>{0.0003, 0.0003}));
  EXPECT_EQ(view.tables().front().row(1).step, 20480);
  EXPECT_TRUE(ColumnValues(view, "loss").empty());  // a policy's loss is no measure of the run
}

TEST(StableBaselines, LeavesOtherTablesAlone) {
  EXPECT_TRUE(FactView(ReadLogText("|    total_timesteps      | many        |\n")).tables().empty());
  EXPECT_TRUE(FactView(ReadLogText("|    learning_rate        | 0.1 | 0.2 |\n")).tables().empty());
}

}  // namespace
}  // namespace assay
