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

constexpr std::string_view kNew =
    "12/31 23:59:59 - mmengine - INFO - Epoch(train)  [2][ 50/100]  lr: 2.0000e-04  eta: 0:10:31  time: 0.4121  data_time: "
    "0.0110  memory: 5402  loss: 0.1012  loss_cls: 0.0412\n"
    "12/31 23:59:59 - mmengine - INFO - Epoch(val) [2][20/20]    coco/bbox_mAP: 0.3120  coco/bbox_mAP_50: 0.5010  data_time: "
    "0.0100  time: 0.0500\n"
    "12/31 23:59:59 - mmengine - INFO - Iter(train) [ 50/1000]  lr: 1.0e-02  eta: 1 day, 2:00:00  time: 0.5  loss: nan\n";
constexpr std::string_view kOld =
    "2020-06-14 22:11:49,229 - mmdet - INFO - Epoch [12][950/1000]\tlr: 2.000e-04, eta: 0:01:00, time: 0.900, data_time: 0.010, "
    "memory: 7022, loss_cls: 0.0412, acc: 98.9, loss: 0.1012\n"
    "2020-06-14 22:11:59,229 - mmdet - INFO - Epoch(val) [12][625]\taccuracy_top-1: 71.2000\n";

TEST(Mmengine, ReadsTheNewForm) {
  const FactStore facts = ReadLogText(kNew);
  const MetricTable& table = OnlyTable(facts, "mmengine");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.row(0).step, 150);
  EXPECT_EQ(table.row(0).epoch, 2);
  EXPECT_EQ(Cell(table, 0, "data_time"), 0.011);
  EXPECT_EQ(Cell(table, 0, "memory"), 5402.0 * 1048576);
  EXPECT_EQ(Cell(table, 1, "val/coco/bbox_mAP"), 0.312);
  EXPECT_EQ(table.columns()[*table.FindName("val/coco/bbox_mAP")].metric, Metric::kEvalAccuracy);
  EXPECT_EQ(table.row(1).step, kNoStep);
  EXPECT_EQ(table.row(2).step, 50);
  EXPECT_EQ(table.planned_steps, 1000);
  EXPECT_TRUE(std::isnan(Cell(table, 2, "loss")));
}

TEST(Mmengine, ReadsTheOldForm) {
  const FactStore facts = ReadLogText(kOld);
  const MetricTable& table = OnlyTable(facts, "mmengine");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(0).step, 11 * 1000 + 950);
  EXPECT_EQ(Cell(table, 0, "loss"), 0.1012);
  EXPECT_EQ(Cell(table, 0, "time"), 0.9);
  EXPECT_EQ(Cell(table, 1, "val/accuracy_top-1"), 71.2);
}

TEST(Mmengine, KnowsTheLastEpochWhenNothingIsLeft) {
  const std::string line = "12/31 23:59:59 - mmengine - INFO - Epoch(train)  [12][100/100]  lr: 2.0e-04  eta: ";
  EXPECT_EQ(OnlyTable(ReadLogText(line + "0:00:00  time: 0.4121  loss: 0.1012\n"), "mmengine").planned_epochs, 12);
  EXPECT_EQ(OnlyTable(ReadLogText(line + "0:10:00  time: 0.4121  loss: 0.1012\n"), "mmengine").planned_epochs, 0);
}

TEST(Mmengine, BearsDamage) {
  ExpectBearsDamage(kNew);
  ExpectBearsDamage(kOld);
}

}  // namespace
}  // namespace assay
