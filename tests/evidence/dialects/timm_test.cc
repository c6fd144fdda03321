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
    "Train: 3 [  50/1251 (  4%)]  Loss: 6.94 (6.95)  Time: 0.412s,  621.35/s  (0.420s,  609.52/s)  LR: 1.000e-04  Data: 0.011 "
    "(0.032)\n"
    "Test: [   0/48]  Time: 2.512 (2.512)  Loss:   1.2031 (1.2031)  Acc@1:  71.8750 ( 71.8750)  Acc@5:  91.2 ( 91.2)\n"
    "Test: [  48/48]  Time: 0.112 (0.301)  Loss:   1.1000 (1.3000)  Acc@1:  70.0000 ( 68.5000)  Acc@5:  90.0 ( 89.0)\n"
    "*** Best metric: 68.5 (epoch 3)\n";

TEST(Timm, ReadsBatchesAndTheAveragesOfTheTest) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "timm");
  ASSERT_EQ(table.row_count(), 4U);
  EXPECT_EQ(table.row(0).step, 3 * 1251 + 50);
  EXPECT_EQ(table.row(0).epoch, 3);
  EXPECT_EQ(Cell(table, 0, "Loss"), 6.94);
  EXPECT_EQ(Cell(table, 0, "Time"), 0.412);
  EXPECT_EQ(Cell(table, 0, "samples_per_second"), 621.35);
  EXPECT_EQ(Cell(table, 0, "Data"), 0.011);
  EXPECT_EQ(table.row(2).epoch, 3);
  EXPECT_EQ(Cell(table, 2, "test/Loss"), 1.3);
  EXPECT_EQ(Cell(table, 2, "test/Acc@1"), 68.5);
  EXPECT_EQ(table.columns()[*table.FindName("test/Acc@1")].metric, Metric::kEvalAccuracy);
  EXPECT_EQ(Cell(table, 3, "best_metric"), 68.5);
}

TEST(Timm, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
