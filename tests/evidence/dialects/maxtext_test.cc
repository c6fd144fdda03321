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
    "completed step: 10, seconds: 1.204, TFLOP/s/device: 172.400, Tokens/s/device: 6804.100, total_weights: 65536, loss: 9.217, "
    "lm_loss: 9.200, perplexity: 10064.0\n"
    "completed step: 11, total_weights: 65536, loss: nan\n"
    "Completed eval after train step 11, loss=8.500, total_weights=4096.0\n";

TEST(Maxtext, ReadsStepsAndEvaluations) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "maxtext");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.row(0).step, 10);
  EXPECT_EQ(Cell(table, 0, "seconds"), 1.204);
  EXPECT_EQ(table.columns()[*table.FindName("seconds")].metric, Metric::kStepTime);
  EXPECT_TRUE(std::isnan(Cell(table, 1, "loss")));
  EXPECT_EQ(table.row(2).step, 11);
  EXPECT_EQ(Cell(table, 2, "eval/loss"), 8.5);
}

TEST(Maxtext, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
