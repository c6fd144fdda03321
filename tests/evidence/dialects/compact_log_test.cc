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
    "s:9534 trl:3.294388\ns:9535 tel:3.340180\nstep:100/1390 val_loss:3.9012 train_time:30012ms step_avg:301.25ms\n";

TEST(CompactLog, ReadsTrainingAndEvaluation) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "compact-log");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.row(0).step, 9534);
  EXPECT_EQ(Cell(table, 0, "trl"), 3.294388);
  EXPECT_EQ(table.columns()[*table.FindName("tel")].metric, Metric::kEvalLoss);
  EXPECT_EQ(table.row(2).step, 100);
  EXPECT_EQ(table.planned_steps, 1390);
  EXPECT_EQ(Cell(table, 2, "step_time"), 0.30125);
  EXPECT_EQ(Cell(table, 2, "train_time_ms"), 30012);
}

TEST(CompactLog, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
