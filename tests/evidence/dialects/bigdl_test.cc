// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::Cell;
using testing::ExpectBearsDamage;
using testing::OnlyTable;
using testing::ReadLogText;

constexpr std::string_view kLog =
    "2020-02-18 09:30:31 INFO  DistriOptimizer$:421 - [Epoch 1 3200/64000][Iteration 50] Trained 64.0 records in 0.178860 "
    "seconds. Throughput is "
    "357.822 records/second. Loss is 0.931337. \n"
    "2020-02-18 09:30:37 INFO  DistriOptimizer$:421 - [Epoch 1 6400/64000][Iteration 100] Trained 64.0 records in 0.177540 "
    "seconds. Throughput is "
    "360.482 records/second. Loss is 0.774929. Sequentialf1b9e06f's hyper parameters: Current learning rate is 0.05.\n";

TEST(BigDl, ReadsIterationRateAndLoss) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "bigdl");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(1).step, 100);
  EXPECT_EQ(table.row(1).epoch, 1);
  EXPECT_EQ(Cell(table, 0, "loss"), 0.931337);
  EXPECT_EQ(Cell(table, 1, "throughput"), 360.482);
  EXPECT_EQ(Cell(table, 1, "step_time"), 0.17754);
}

TEST(BigDl, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
