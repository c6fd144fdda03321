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
    "[01/31 12:00:00 d2.utils.events]:  eta: 0:12:41  iter: 1019  total_loss: 1.204  loss_cls: 0.412  loss_box_reg: 0.301  time: "
    "0.2104  last_time: 0.2011  data_time: 0.0061  last_data_time: 0.0052   lr: 0.00025  max_mem: 4102M\n"
    "\x1b[32m[01/31 12:00:10 d2.utils.events]: \x1b[0m eta: 0:12:31  iter: 1039  total_loss: nan  loss_cls: nan  time: 0.2104  "
    "data_time: 0.0061  lr: 0.00025  max_mem: 4102M\n";

TEST(Detectron2, ReadsEventLines) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "detectron2");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(0).step, 1019);
  EXPECT_EQ(Cell(table, 0, "total_loss"), 1.204);
  EXPECT_EQ(Cell(table, 0, "time"), 0.2104);
  EXPECT_EQ(Cell(table, 0, "data_time"), 0.0061);
  EXPECT_EQ(Cell(table, 0, "max_mem"), 4102.0 * 1048576);
  EXPECT_EQ(table.row(1).step, 1039);
  EXPECT_TRUE(std::isnan(Cell(table, 1, "total_loss")));
}

TEST(Detectron2, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
