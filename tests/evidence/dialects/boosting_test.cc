// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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
    "[10]\ttrain-logloss:0.41203\teval-logloss:0.45120\n"
    "[20]\tvalid_0's auc: 0.91\tvalid_0's binary_logloss: 0.35\n"
    "30:\tlearn: 0.5120\ttest: 0.6010\tbest: 0.6010 (30)\ttotal: 100ms\tremaining: 1.2s\n";

TEST(Boosting, ReadsRoundsOfThreeLibraries) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "boosting");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.row(0).step, 10);
  EXPECT_EQ(Cell(table, 0, "train-logloss"), 0.41203);
  EXPECT_EQ(table.columns()[*table.FindName("eval-logloss")].metric, Metric::kEvalLoss);
  EXPECT_EQ(table.row(1).step, 20);
  EXPECT_EQ(table.columns()[*table.FindName("valid_0's auc")].metric, Metric::kEvalAccuracy);
  EXPECT_EQ(table.columns()[*table.FindName("valid_0's binary_logloss")].metric, Metric::kEvalLoss);
  EXPECT_EQ(table.row(2).step, 30);
  EXPECT_EQ(Cell(table, 2, "learn"), 0.512);
  EXPECT_TRUE(IsBlankCell(table, 2, "total"));
}

TEST(Boosting, LeavesListsAlone) { ExpectNoTables("[10]\tfirst\tsecond\n[x]\ta:1\n"); }

TEST(Boosting, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
