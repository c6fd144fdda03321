// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;

TEST(MetricTwice, FindsTwoLinesThatDisagree) {
  std::string log;
  for (int i = 0; i < 4; ++i)
    log += fmt::format("valid_loss (logged, sync_dist=True) = {:.4f}\nexpected loss (all_gather mean)     = {:.4f}\n",
                       1.5222 - 0.1 * i, 1.51 - 0.1 * i);
  const Findings findings = ConcludeFromText("metric-twice", log);
  EXPECT_EQ(Ids(findings, "metric-twice"), "two-values-printed");
}

TEST(MetricTwice, FindsOneLineThatDisagreesWithItself) {
  EXPECT_TRUE(ConcludeFromText("metric-twice", "epoch 3 val_acc 0.9120 (recomputed 0.8741)\n").Has("two-values-printed"));
}

TEST(MetricTwice, ComparesWithTheEvaluationBefore) {
  EXPECT_TRUE(
      ConcludeFromText("metric-twice", "epoch 3 loss 0.5 val_acc 0.9120\nsklearn accuracy: 0.8741\n").Has("two-values-printed"));
  EXPECT_FALSE(
      ConcludeFromText("metric-twice", "epoch 3 loss 0.5 val_acc 0.9120\nsklearn f1: 0.8741\n").Has("two-values-printed"));
}

TEST(MetricTwice, LeavesRoundingAlone) {
  EXPECT_FALSE(ConcludeFromText("metric-twice", "epoch 3 val_acc 0.9120 (recomputed 0.9121)\n").Has("two-values-printed"));
  EXPECT_FALSE(
      ConcludeFromText("metric-twice", "valid_loss (logged) = 1.52\nexpected loss = 1.5199\n").Has("two-values-printed"));
}

std::string Averages(double macro, bool warn_to_the_end) {
  std::string log;
  for (int i = 1; i <= 6; ++i) {
    if (warn_to_the_end || i <= 2)
      log +=
          "sklearn/metrics/_classification.py:1565: UndefinedMetricWarning: Precision is ill-defined and being set to 0.0 in "
          "labels with no predicted samples.\n";
    log += fmt::format("epoch {} eval accuracy 0.93{} macro_f1 {:.4f}\n", i, i, macro + 0.001 * i);
  }
  return log;
}

TEST(MetricTwice, FindsAnAverageThatUndefinedClassesDragDown) {
  EXPECT_EQ(Ids(ConcludeFromText("metric-twice", Averages(0.58, true)), "metric-twice"), "undefined-drags-average");
}

TEST(MetricTwice, LeavesWarningsOfTheFirstEvaluationsAlone) {
  EXPECT_EQ(Ids(ConcludeFromText("metric-twice", Averages(0.58, false)), "metric-twice"), "");
  EXPECT_EQ(Ids(ConcludeFromText("metric-twice", Averages(0.9, true)), "metric-twice"), "");
}

TEST(MetricTwice, SaysWhenItCannotLook) {
  EXPECT_TRUE(IsNotChecked(ConcludeFromText("metric-twice", "step 1 loss 0.5\n"), "two-values-printed"));
}

}  // namespace
}  // namespace assay
