// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::Cell;
using testing::ExpectBearsDamage;
using testing::OnlyTable;
using testing::ReadLogText;

constexpr std::string_view kLog =
    "Train Epoch: 1 [0/61500 (0%)]\tLoss: 0.043210\n"
    "Train Epoch: 2 [6400/61500 (10%)]\tLoss: nan\n"
    "\n"
    "Test set: Average loss: 0.0412, Accuracy: 9870/10000 (99%)\n"
    "Test set results: loss= 0.7129 accuracy= 0.8310\n";

TEST(TrainEpoch, ReadsTrainingAndTest) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "train-epoch");
  ASSERT_EQ(table.row_count(), 4U);
  EXPECT_EQ(table.row(0).step, 0);
  EXPECT_EQ(table.row(0).epoch, 1);
  EXPECT_EQ(Cell(table, 0, "Loss"), 0.04321);
  EXPECT_EQ(table.row(1).step, 61500 + 6400);
  EXPECT_TRUE(std::isnan(Cell(table, 1, "Loss")));
  EXPECT_EQ(Cell(table, 2, "test_loss"), 0.0412);
  EXPECT_EQ(Cell(table, 2, "test_accuracy"), 0.987);
  EXPECT_EQ(Cell(table, 3, "test_loss"), 0.7129);
  EXPECT_EQ(Cell(table, 3, "test_accuracy"), 0.831);
  EXPECT_EQ(table.columns()[*table.FindName("test_loss")].metric, Metric::kEvalLoss);
}

TEST(TrainEpoch, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
