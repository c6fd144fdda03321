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
    "Average execution time over 10 steps:\n"
    "  Blocking, waiting for batch (threaded) (10/10):  mean:  189ms   std:  207ms\n"
    "  Forward pass (10/10):                            mean:   11ms\n"
    "  Loss (10/10):                                    mean:  402ms\n"
    "  Backward pass (10/10):                           mean: 2.5s\n";

TEST(TimingTable, ReadsAverageTimes) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "timing-table");
  ASSERT_EQ(table.row_count(), 4U);
  EXPECT_EQ(Cell(table, 0, "data_time"), 0.189);
  EXPECT_EQ(Cell(table, 0, "blocking_waiting_for_batch_threaded_std_ms"), 207);
  EXPECT_EQ(Cell(table, 1, "forward_ms"), 11);
  EXPECT_EQ(Cell(table, 2, "loss_ms"), 402);
  EXPECT_EQ(table.columns()[*table.FindName("loss_ms")].metric, Metric::kOther);
  EXPECT_EQ(Cell(table, 3, "backward_ms"), 2500);
}

TEST(TimingTable, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
