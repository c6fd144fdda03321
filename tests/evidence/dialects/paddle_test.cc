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
    "2023-01-01 10:00:00 [INFO]\t[TRAIN] epoch: 1, iter: 100/80000, loss: 0.9120, lr: 0.009988, batch_cost: 0.2101, reader_cost: "
    "0.00412, ips: 19.0385 samples/sec | ETA 04:39:42\n"
    "[2023-01-01 10:00:00,000] [    INFO] - global step 100, epoch: 1, batch: 99, loss: 0.51234, speed: 2.10 step/s\n";

TEST(Paddle, ReadsBothForms) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "paddle");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(0).step, 100);
  EXPECT_EQ(table.planned_steps, 80000);
  EXPECT_EQ(Cell(table, 0, "batch_cost"), 0.2101);
  EXPECT_EQ(table.columns()[*table.FindName("reader_cost")].metric, Metric::kDataTime);
  EXPECT_EQ(table.row(1).step, 100);
  EXPECT_EQ(table.row(1).epoch, 1);
  EXPECT_EQ(Cell(table, 1, "loss"), 0.51234);
}

TEST(Paddle, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
