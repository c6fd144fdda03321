// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::ColumnValues;
using testing::ReadLogText;

TEST(KeyValue, ReadsPairsWhateverSeparatesThem) {
  const FactStore facts = ReadLogText("step 1840 | loss 2.713 | grad_norm 0.84\nstep 1841 | loss nan | grad_norm nan\n");
  const MetricTable& table = FactView(facts).tables().front();
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(1).step, 1841);
  EXPECT_TRUE(std::isnan(table.At(1, *table.Find(Metric::kLoss)).value()));
  EXPECT_EQ(table.At(0, *table.Find(Metric::kGradNorm)), 0.84);
}

TEST(KeyValue, ReadsEpochTotalsAndEqualSigns) {
  const FactStore facts = ReadLogText("Epoch 3/10 loss=0.5 acc=0.91\n");
  const MetricTable& table = FactView(facts).tables().front();
  EXPECT_EQ(table.row(0).epoch, 3);
  EXPECT_EQ(table.planned_epochs, 10);
  EXPECT_EQ(table.At(0, *table.Find(Metric::kAccuracy)), 0.91);
}

TEST(KeyValue, LeavesProseAlone) {
  for (const char* line : {"the loss function is cross entropy\n", "ValueError: loss must be finite\n", "using loss v2\n",
                           "loss_fn = nn.MSELoss()\n"}) {
    EXPECT_TRUE(FactView(ReadLogText(line)).tables().empty()) << line;
  }
}

TEST(KeyValue, TellsTheSetThatWasMeasured) {
  const FactStore facts = ReadLogText("Epoch 1 | train loss 0.5 acc 0.9 | val loss 0.6 acc 0.8\n");
  const MetricTable& table = FactView(facts).tables().front();
  EXPECT_EQ(table.At(0, *table.Find(Metric::kLoss)), 0.5);
  EXPECT_EQ(table.At(0, *table.Find(Metric::kEvalLoss)), 0.6);
  EXPECT_EQ(table.At(0, *table.Find(Metric::kAccuracy)), 0.9);
  EXPECT_EQ(table.At(0, *table.Find(Metric::kEvalAccuracy)), 0.8);
}

TEST(KeyValue, BringsMillisecondsToSeconds) {
  const FactStore facts = ReadLogText("step 3 | loss 2.5 | dt 250ms | mem 2.0 GiB\n");
  const MetricTable& table = FactView(facts).tables().front();
  EXPECT_EQ(table.At(0, *table.Find(Metric::kStepTime)), 0.25);
  EXPECT_EQ(table.At(0, *table.Find(Metric::kMemory)), 2147483648.0);
}

TEST(KeyValue, BearsDamage) {
  testing::ExpectBearsDamage("step 1841/5000 | loss 2.713 | tps 8,123 | mem 61.2 GiB\nEpoch 3/10: val loss=0.5 acc: 0.9\n");
}

}  // namespace
}  // namespace assay
