// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::Cell;
using testing::ExpectBearsDamage;
using testing::Fixture;
using testing::OnlyTable;
using testing::ReadLogText;

TEST(Lightning, ReadsRealBars) {
  const FactStore facts = ReadLogText(Fixture("lightning/finished/train.log"));
  const MetricTable& table = OnlyTable(facts, "lightning");
  ASSERT_GT(table.row_count(), 20U);
  const std::size_t last = table.row_count() - 1;
  EXPECT_EQ(table.row(last).epoch, 2);
  EXPECT_EQ(table.row(last).step, 30);
  EXPECT_EQ(Cell(table, last, "train_loss"), 0.158);
  EXPECT_EQ(Cell(table, last, "val_loss"), 0.146);
}

TEST(Lightning, ReadsRealRichBarsWhoseValuesGoOnBelow) {
  const std::string text = Fixture("lightning/finished/train.rich.log");
  const FactStore facts = ReadLogText(text);
  const MetricTable& table = OnlyTable(facts, "lightning");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(Cell(table, 0, "train_loss"), 0.158);
  EXPECT_EQ(Cell(table, 1, "val_loss"), 0.146);
  EXPECT_EQ(table.row(1).epoch, 2);
  ExpectBearsDamage(text);
}

TEST(Lightning, ReadsANanOfARealRun) {
  const FactStore facts = ReadLogText(Fixture("lightning/nan_loss/train.log"));
  const MetricTable& table = OnlyTable(facts, "lightning");
  ASSERT_GT(table.row_count(), 0U);
  const auto losses = testing::ColumnValues(FactView(facts), "train_loss");
  ASSERT_FALSE(losses.empty());
  EXPECT_TRUE(std::isnan(losses.back()));
}

TEST(Lightning, ReadsMonitoredValuesAndResultTables) {
  constexpr std::string_view kLog =
      "Epoch 3, global step 500: 'val_loss' reached 0.12345 (best 0.12345), saving model to 'a.ckpt' as top 1\n"
      "Epoch 4, global step 600: 'val_loss' was not in top 1\n"
      "────────────────────────────────────────\n"
      "     Validate metric           DataLoader 0\n"
      "────────────────────────────────────────\n"
      "        val_loss            0.2345\n"
      "────────────────────────────────────────\n"
      "┃      Test metric      ┃       DataLoader 0        ┃\n"
      "┡━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━┩\n"
      "│       test_acc        │    0.9312000274658203     │\n"
      "└───────────────────────┴───────────────────────────┘\n";
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "lightning");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.row(0).epoch, 3);
  EXPECT_EQ(table.row(0).step, 500);
  EXPECT_EQ(Cell(table, 0, "val_loss"), 0.12345);
  EXPECT_EQ(Cell(table, 1, "val_loss"), 0.2345);
  EXPECT_EQ(Cell(table, 2, "test_acc"), 0.9312000274658203);
  ExpectBearsDamage(kLog);
}

}  // namespace
}  // namespace assay
