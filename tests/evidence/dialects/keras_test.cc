// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::Cell;
using testing::ExpectBearsDamage;
using testing::ExpectNoTables;
using testing::Fixture;
using testing::IsBlankCell;
using testing::OnlyTable;
using testing::ReadLogText;

TEST(Keras, ReadsOneLineAnEpoch) {
  const FactStore facts = ReadLogText(
      "Epoch 5/10\n2500/2500 - 20s 8ms/step - loss: 0.7081 - accuracy: 0.1012 - val_loss: 0.8707 - val_accuracy: 9.28e-02\n");
  const MetricTable& table = OnlyTable(facts, "keras");
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(table.row(0).epoch, 5);
  EXPECT_EQ(table.planned_epochs, 10);
  EXPECT_EQ(table.row(0).step, 5 * 2500);
  EXPECT_EQ(Cell(table, 0, "loss"), 0.7081);
  EXPECT_EQ(Cell(table, 0, "val_accuracy"), 0.0928);
  EXPECT_EQ(Cell(table, 0, "step_time"), 0.008);
}

TEST(Keras, ReadsTheOldBars) {
  const FactStore facts = ReadLogText(
      "Epoch 1/2\n 55/100 [=====>....] - ETA: 1s - loss: 0.5000 - acc: 0.8000\b\b\b\b\b\b\r100/100 [==========] - 2s 20ms/step - "
      "loss: 0.4000 - acc: 0.9000 - val_loss: 0.6000\n");
  const MetricTable& table = OnlyTable(facts, "keras");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(0).step, 55);
  EXPECT_EQ(Cell(table, 0, "loss"), 0.5);
  EXPECT_EQ(Cell(table, 1, "step_time"), 0.02);
  EXPECT_EQ(Cell(table, 1, "val_loss"), 0.6);
}

TEST(Keras, ReadsARealRunThatEndedInNan) {
  const std::string text = Fixture("keras/nan_stop/train.log");
  const FactStore facts = ReadLogText(text);
  const MetricTable& table = OnlyTable(facts, "keras");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(Cell(table, 0, "loss"), 6.9446);
  EXPECT_EQ(table.row(1).step, 9);
  EXPECT_TRUE(std::isinf(Cell(table, 1, "loss")));
  EXPECT_TRUE(std::isnan(Cell(table, 1, "val_loss")));
  ExpectBearsDamage(text);
}

TEST(Keras, ReadsARealFinishedRun) {
  for (const char* name : {"keras/finished/train.log", "keras/finished/train.terminal.log"}) {
    const FactStore facts = ReadLogText(Fixture(name));
    const MetricTable& table = OnlyTable(facts, "keras");
    ASSERT_EQ(table.row_count(), 6U) << name;
    EXPECT_EQ(table.row(5).epoch, 3) << name;
    EXPECT_EQ(table.row(5).step, 27) << name;
    EXPECT_FALSE(IsBlankCell(table, 5, "val_loss")) << name;
  }
}

TEST(Keras, LeavesOtherFractionsAlone) {
  ExpectNoTables("3/10 - files checked - loss: none\n");
  ExpectNoTables("Epoch 3/10\n");
}

}  // namespace
}  // namespace assay
