// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::Cell;
using testing::ExpectBearsDamage;
using testing::ExpectNoTables;
using testing::IsBlankCell;
using testing::OnlyTable;
using testing::ReadLogText;

constexpr std::string_view kLog =
    "step 0: train loss 10.9, val loss 10.8\n"
    "iter 0: loss 10.9012, time 12345.67ms, mfu -100.00%\n"
    "iter 10: loss nan, time 135.27ms, mfu 38.12%\n";

TEST(Nanogpt, ReadsIterationsAndEvaluations) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "nanogpt");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(Cell(table, 0, "val loss"), 10.8);
  EXPECT_EQ(table.columns()[*table.FindName("val loss")].metric, Metric::kEvalLoss);
  EXPECT_EQ(Cell(table, 1, "step_time"), 12.34567);
  EXPECT_TRUE(IsBlankCell(table, 1, "mfu"));
  EXPECT_EQ(table.row(2).step, 10);
  EXPECT_TRUE(std::isnan(Cell(table, 2, "loss")));
  EXPECT_EQ(Cell(table, 2, "mfu"), 38.12);
}

TEST(Nanogpt, LeavesProseAlone) { ExpectNoTables("step 2: loss spikes are expected\n"); }

TEST(Nanogpt, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
