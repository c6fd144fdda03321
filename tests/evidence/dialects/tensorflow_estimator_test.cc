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
    "INFO:tensorflow:loss = 2.06700, step = 2800 (861.228 sec)\n"
    "INFO:tensorflow:global_step/sec: 0.116113\n"
    "INFO:tensorflow:examples/sec: 118.9\n"
    "I0131 12:00:00.123456 140 estimator.py:262] loss = nan, step = 2900\n"
    "INFO:tensorflow:Saving dict for global step 3000: accuracy = 0.91, global_step = 3000, loss = 0.35\n"
    "INFO:tensorflow:Loss for final step: 1.93377.\n";

TEST(TensorflowEstimator, ReadsHooksAndEvaluation) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "tensorflow-estimator");
  ASSERT_EQ(table.row_count(), 6U);
  EXPECT_EQ(table.row(0).step, 2800);
  EXPECT_EQ(Cell(table, 0, "loss"), 2.067);
  EXPECT_EQ(Cell(table, 1, "global_step/sec"), 0.116113);
  EXPECT_EQ(Cell(table, 2, "examples/sec"), 118.9);
  EXPECT_EQ(table.columns()[*table.FindName("examples/sec")].metric, Metric::kThroughput);
  EXPECT_TRUE(std::isnan(Cell(table, 3, "loss")));
  EXPECT_EQ(table.row(4).step, 3000);
  EXPECT_EQ(Cell(table, 4, "eval_accuracy"), 0.91);
  EXPECT_EQ(Cell(table, 5, "loss"), 1.93377);
}

TEST(TensorflowEstimator, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
