// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::AddConfig;
using testing::Conclude;
using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;
using testing::ReadLogText;

std::string Scored(int scored, int correct, double accuracy) {
  return fmt::format(
      "validation set: 10000 images\nepoch  1 it 40/120 loss 0.41179\nepoch  1 validation: scored {}, correct {}, accuracy "
      "{:.4f}\n",
      scored, correct, accuracy);
}

TEST(MetricCounts, FindsSamplesThatWereScoredTwice) {
  const Findings findings = ConcludeFromText("metric-counts", Scored(10032, 9459, 0.9459));
  ASSERT_TRUE(findings.Has("count-mismatch"));
  EXPECT_EQ(findings.Find("count-mismatch")->statement, "10032 samples were scored, while the evaluation set has 10000.");
}

TEST(MetricCounts, ReadsTheDivisorFromTheFraction) {
  const Findings findings =
      ConcludeFromText("metric-counts", "epoch  1 validation: scored 10032, correct 9459, accuracy 0.9459\n");
  ASSERT_TRUE(findings.Has("count-mismatch"));
  EXPECT_NE(findings.Find("count-mismatch")->statement.find("about 10000"), std::string::npos);
}

TEST(MetricCounts, LeavesEqualCountsAndDeclaredSubsetsAlone) {
  EXPECT_FALSE(ConcludeFromText("metric-counts", Scored(10000, 9459, 0.9459)).Has("count-mismatch"));
  FactStore facts = ReadLogText(Scored(500, 450, 0.9));
  AddConfig(facts, "max_eval_samples", "500");
  EXPECT_FALSE(Conclude("metric-counts", facts).Has("count-mismatch"));
}

TEST(MetricCounts, FindsARaggedLastBatch) {
  FactStore facts = ReadLogText("validation set: 1003 images\n");
  AddConfig(facts, "eval_batch_size", "64");
  EXPECT_EQ(Ids(Conclude("metric-counts", facts), "metric-counts"), "ragged-last-batch");
  AddConfig(facts, "drop_last", "true");
  EXPECT_EQ(Ids(Conclude("metric-counts", facts), "metric-counts"), "");
  FactStore whole = ReadLogText("validation set: 1024 images\n");
  AddConfig(whole, "eval_batch_size", "64");
  EXPECT_EQ(Ids(Conclude("metric-counts", whole), "metric-counts"), "");
}

// Values of 97 samples: either fractions of their own, or means over all so far.
std::string Fractions(bool running) {
  const int correct[] = {31, 40, 46, 52, 55, 61, 63, 70, 71, 74, 78, 79};
  std::string log = "validation set: 97 images\n";
  int sum = 0;
  int k = 0;
  for (const int c : correct) {
    sum += c;
    ++k;
    log += fmt::format("epoch {} loss 0.5 val_acc {:.6f}\n", k, running ? sum / 97.0 / k : c / 97.0);
  }
  return log;
}

TEST(MetricCounts, FindsAMeanOverAllEvaluations) {
  EXPECT_EQ(Ids(ConcludeFromText("metric-counts", Fractions(true)), "metric-counts"), "running-mean-arith");
  EXPECT_EQ(Ids(ConcludeFromText("metric-counts", Fractions(false)), "metric-counts"), "");
}

TEST(MetricCounts, SaysWhenItCannotLook) {
  const Findings findings = ConcludeFromText("metric-counts", "epoch 1 loss 0.5 val_acc 0.9\n");
  for (const std::string_view id : {"count-mismatch", "ragged-last-batch", "running-mean-arith"})
    EXPECT_TRUE(IsNotChecked(findings, id)) << id;
}

}  // namespace
}  // namespace assay
