// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::Cell;
using testing::ExpectBearsDamage;
using testing::IsBlankCell;
using testing::OnlyTable;
using testing::ReadLogText;

constexpr std::string_view kLog =
    " [2026-01-02 03:04:05] iteration       10/     100 | consumed samples:          640 | elapsed time per iteration (ms): "
    "1102.4 | throughput per GPU (TFLOP/s/GPU): 143.2 | learning rate: 6.000E-05 | global batch size:    64 | lm loss: "
    "2.2412E+00 | loss scale: 65536.0 | grad norm: 0.142 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    " [2026-01-02 03:04:16] iteration       20/     100 | consumed samples:         1280 | elapsed time per iteration (s): 1.2 | "
    "learning rate: 6.000E-05 | global batch size:    64 | loss scale: 32768.0 | grad norm: nan | number of skipped iterations:  "
    " 1 | number of nan iterations:   1 |\n"
    "-----------------------------------------------------------------------------------------------\n"
    " validation loss at iteration 20 | lm loss value: 2.301E+00 | lm loss PPL: 9.984E+00 | \n";

TEST(Megatron, ReadsRowsAndLeavesAMissingLossBlank) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "megatron");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.planned_steps, 100);
  EXPECT_EQ(table.row(0).step, 10);
  EXPECT_EQ(Cell(table, 0, "lm loss"), 2.2412);
  EXPECT_EQ(Cell(table, 0, "step_time"), 1.1024);
  EXPECT_EQ(table.row(1).step, 20);
  EXPECT_TRUE(IsBlankCell(table, 1, "lm loss"));
  EXPECT_TRUE(std::isnan(Cell(table, 1, "grad norm")));
  EXPECT_EQ(Cell(table, 1, "step_time"), 1.2);
  EXPECT_EQ(Cell(table, 1, "number of nan iterations"), 1);
}

TEST(Megatron, ReadsTheEvaluation) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "megatron");
  EXPECT_EQ(table.row(2).step, 20);
  EXPECT_EQ(Cell(table, 2, "lm loss value"), 2.301);
  EXPECT_EQ(table.columns()[*table.FindName("lm loss value")].metric, Metric::kEvalLoss);
}

TEST(Megatron, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
