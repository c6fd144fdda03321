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
    "Epoch 0 |   Training | Elapsed Time: 0:01:40 | Steps: 150 | Loss: 125.162810\n"
    "Epoch 0 | Validation | Elapsed Time: 1:02:03 | Steps: 200 | Loss: 49.402117 | Dataset: data/clips/dev.csv\n";

TEST(PhaseClock, ReadsClockStepsAndLossOfEachPhase) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "phase-clock");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(0).step, 150);
  EXPECT_EQ(Cell(table, 0, "elapsed_time"), 100);
  EXPECT_EQ(Cell(table, 0, "Loss"), 125.16281);
  EXPECT_EQ(table.row(1).step, kNoStep);
  EXPECT_EQ(table.columns()[*table.FindName("val_loss")].metric, Metric::kEvalLoss);
}

TEST(PhaseClock, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
