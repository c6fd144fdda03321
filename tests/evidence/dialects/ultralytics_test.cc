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
    "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
    "\r      1/100      4.1G      1.243      1.903      1.294         38        640:   0%|          | 0/739 [00:00<?, ?it/s]\r   "
    "   1/100      4.1G      1.201      1.877      1.301         31        640:  12%|#2        | 90/739 [02:31<18:10,  "
    "1.68s/it]\n"
    "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|##########| 20/20 "
    "[00:07<00:00,  2.71it/s]\n"
    "                   all        640       3911      0.600      0.540      0.570      0.330\n"
    "\n"
    "step 5 loss 0.5\n";

TEST(Ultralytics, ReadsTrainingAndValidation) {
  const FactStore facts = ReadLogText(kLog);
  const FactView view(facts);
  ASSERT_EQ(view.tables().size(), 2U);
  const MetricTable& table = view.tables()[0];
  EXPECT_EQ(table.writer, "ultralytics");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.planned_epochs, 100);
  EXPECT_EQ(table.row(1).epoch, 1);
  EXPECT_EQ(table.row(1).step, 90);
  EXPECT_EQ(Cell(table, 1, "box_loss"), 1.201);
  EXPECT_EQ(Cell(table, 1, "GPU_mem"), 4.1 * 1024 * 1024 * 1024);
  EXPECT_EQ(table.row(2).epoch, 1);
  EXPECT_EQ(Cell(table, 2, "val/mAP50-95"), 0.33);
  EXPECT_EQ(table.columns()[*table.FindName("val/mAP50")].metric, Metric::kEvalAccuracy);
  EXPECT_EQ(view.tables()[1].writer, "key-value");
}

TEST(Ultralytics, CountsTheEpochsOfYolov5FromZero) {
  const FactStore facts = ReadLogText(
      "     Epoch   gpu_mem       box       obj       cls    labels  img_size\n"
      "   271/599     9.81G   0.02207   0.01502   0.00400        21       640: 100%|##########| 201/201 [01:58<00:00,  "
      "1.70it/s]\n");
  const MetricTable& table = OnlyTable(facts, "ultralytics");
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(table.row(0).epoch, 271);
  EXPECT_EQ(table.planned_epochs, 600);
  EXPECT_EQ(table.row(0).step, 271 * 201 + 201);
}

TEST(Ultralytics, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
