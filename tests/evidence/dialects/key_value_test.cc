// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/reading.h"

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
  for (const char* line : {"the loss function is cross entropy\n", "ValueError: loss must be finite\n", "using loss v2\n", "loss_fn = nn.MSELoss()\n"}) {
    EXPECT_TRUE(FactView(ReadLogText(line)).tables().empty()) << line;
  }
}

}  // namespace
}  // namespace assay
