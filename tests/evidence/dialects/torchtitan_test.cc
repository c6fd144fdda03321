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
    "[rank0]:[titan] 2025-04-29 13:20:40,100 - root - INFO - \x1b[31mstep:  1  \x1b[32mloss: 12.2345  \x1b[33mgrad_norm:  4.1000 "
    " \x1b[34mmemory: 61.20GiB(77.38%)  \x1b[36mtps: 8,123  \x1b[35mtflops: 412.05  \x1b[35mmfu: 41.66%\x1b[39m\n"
    "[rank0]:[titan] 2025-04-29 13:21:40,100 - root - INFO - step: 10  loss:  nan  grad_norm:  nan  memory: 61.20GiB(77.38%)  "
    "tps: 812  tflops: 412.05  mfu: 41.66%\n"
    "[rank0]:[titan] 2025-04-29 13:21:50,100 - root - INFO - validate step: 10  loss:  8.5000  memory: 61.20GiB(77.38%)  tps: "
    "9,000\n";

TEST(Torchtitan, ReadsStepsThroughColoursCommasAndUnits) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "torchtitan");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.rank, 0);
  EXPECT_EQ(table.row(0).step, 1);
  EXPECT_EQ(Cell(table, 0, "loss"), 12.2345);
  EXPECT_EQ(Cell(table, 0, "tps"), 8123);
  EXPECT_EQ(Cell(table, 0, "memory"), 61.2 * 1024 * 1024 * 1024);
  EXPECT_TRUE(std::isnan(Cell(table, 1, "grad_norm")));
  EXPECT_EQ(Cell(table, 2, "validate/loss"), 8.5);
  EXPECT_TRUE(IsBlankCell(table, 2, "loss"));
  EXPECT_EQ(table.columns()[*table.FindName("validate/loss")].metric, Metric::kEvalLoss);
}

TEST(Torchtitan, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
