// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;

std::string Keras(int epochs, auto accuracy, auto val_accuracy) {
  std::string log;
  for (int i = 1; i <= epochs; ++i) {
    log += fmt::format(
        "Epoch {}/{}\n2500/2500 - 20s 8ms/step - loss: {:.4f} - accuracy: {} - val_loss: 0.9{:02} - val_accuracy: {}\n", i,
        epochs, 2.0 / i, accuracy(i), i % 90, val_accuracy(i));
  }
  return log;
}
std::string Four(double v) { return fmt::format("{:.4f}", v); }

TEST(MetricValues, FindsAnAccuracyAboveOne) {
  const Findings findings = ConcludeFromText(
      "metric-values", Keras(10, [](int i) { return Four(0.9 + 0.005 * i); }, [](int i) { return Four(0.93 + 0.008 * i); }));
  ASSERT_TRUE(findings.Has("impossible-value"));
  EXPECT_EQ(findings.Find("impossible-value")->statement,
            "val_accuracy is 1.002 at step 22500, and can only lie between 0 and 1.");
}

TEST(MetricValues, LeavesPercentagesAlone) {
  EXPECT_FALSE(
      ConcludeFromText("metric-values", Keras(
                                            10, [](int i) { return Four(4.1 * i); }, [](int i) { return Four(3.2 * i); }))
          .Has("impossible-value"));
  // Of a model that is only beginning: 0.6 %, 0.9 %, 1.1 % …
  EXPECT_FALSE(ConcludeFromText("metric-values",
                                Keras(
                                    4, [](int i) { return Four(0.3 + 0.3 * i); }, [](int i) { return Four(0.25 + 0.3 * i); }))
                   .Has("impossible-value"));
}

TEST(MetricValues, LeavesPlaceholdersAlone) {
  EXPECT_EQ(Ids(ConcludeFromText("metric-values", Keras(
                                                      6, [](int i) { return Four(0.1 * i); },
                                                      [](int i) { return i == 1 ? "-1.0000" : Four(0.1 * i); })),
                "metric-values"),
            "");
}

TEST(MetricValues, FindsAMetricThatBecomesNan) {
  EXPECT_TRUE(ConcludeFromText("metric-values",
                               Keras(
                                   6, [](int i) { return Four(0.1 * i); }, [](int i) { return i >= 3 ? "nan" : Four(0.1 * i); }))
                  .Has("nan-metric"));
}

TEST(MetricValues, LeavesNanBeforeTheFirstEvaluationAlone) {
  EXPECT_FALSE(ConcludeFromText("metric-values",
                                Keras(
                                    6, [](int i) { return Four(0.1 * i); }, [](int i) { return i <= 3 ? "nan" : Four(0.1 * i); }))
                   .Has("nan-metric"));
}

TEST(MetricValues, LeavesNanOfARunThatBrokeAlone) {
  EXPECT_FALSE(ConcludeFromText("metric-values",
                                "epoch 1 loss 0.5 val_acc 0.5\nepoch 2 loss nan val_acc nan\nepoch 3 loss nan val_acc nan\n")
                   .Has("nan-metric"));
}

TEST(MetricValues, FindsAMetricThatStandsStill) {
  EXPECT_TRUE(ConcludeFromText("metric-values", Keras(
                                                    8, [](int i) { return Four(0.5 + 0.05 * i); }, [](int) { return "0.6531"; }))
                  .Has("constant-metric"));
}

TEST(MetricValues, LeavesShortAndRoundStandstillsAlone) {
  EXPECT_FALSE(ConcludeFromText("metric-values", Keras(
                                                     8, [](int i) { return Four(0.5 + 0.05 * i); },
                                                     [](int i) { return i < 5 ? "0.6531" : Four(0.6 + 0.04 * i); }))
                   .Has("constant-metric"));
  EXPECT_FALSE(ConcludeFromText("metric-values", Keras(
                                                     8, [](int i) { return Four(0.5 + 0.05 * i); }, [](int) { return "1.0000"; }))
                   .Has("constant-metric"));
}

TEST(MetricValues, FindsAPerplexityBelowOne) {
  EXPECT_TRUE(ConcludeFromText("metric-values", "step 1 loss 2.2 perplexity 9.0\nstep 2 loss 1.2 perplexity 0.31\n")
                  .Has("impossible-value"));
  EXPECT_FALSE(ConcludeFromText("metric-values", "step 1 loss 0.82 ppl 0.82\nstep 2 loss 0.71 ppl 0.71\n")
                   .Has("impossible-value"));  // its logarithm
}

TEST(MetricValues, LeavesRewardsAndCorrelationsAlone) {
  EXPECT_EQ(Ids(ConcludeFromText("metric-values", "step 1 loss 0.5 reward -3.2 mcc -0.1\nstep 2 loss 0.4 reward 250.1 mcc 0.2\n"),
                "metric-values"),
            "");
}

TEST(MetricValues, SaysWhenItCannotLook) {
  EXPECT_TRUE(IsNotChecked(ConcludeFromText("metric-values", "step 1 loss 0.5\n"), "impossible-value"));
}

TEST(MetricValues, AScoreAboveOneBesideItsTwinOfTheTraining) {
  const auto log = [](double factor) {
    std::string text;
    for (int i = 1; i <= 12; ++i) {
      text += fmt::format("Epoch {}/12 train_loss={:.3f} train_acc={:.4f} val_loss={:.3f} val_acc={:.4f}\n", i, 2.0 / i,
                          0.6 + 0.03 * i, 2.1 / i, factor * (0.6 + 0.03 * i));
    }
    return text;
  };
  EXPECT_TRUE(ConcludeFromText("metric-values", log(1.7)).Has("impossible-value"));
  EXPECT_FALSE(ConcludeFromText("metric-values", log(1.0)).Has("impossible-value"));
  EXPECT_FALSE(ConcludeFromText("metric-values", log(100)).Has("impossible-value"));
}

TEST(MetricValues, APercentageOfOneIsNotTooGood) {
  std::string log;
  for (int i = 0; i < 12; ++i)
    log += fmt::format("Epoch: {} | train loss 4.60{} | test loss 4.605 | Acc@1 1.000 | Acc@5 5.00{}\n", i, i % 10, i % 10);
  EXPECT_FALSE(ConcludeFromText("metric-values", log).Has("too-good"));
}

TEST(MetricValues, APrecisionThatStaysAtZeroWhileTheLossFalls) {
  const auto log = [](double last_loss, double last_map) {
    std::string text;
    for (int e = 1; e <= 6; ++e) {
      text += fmt::format("epoch {} loss {:.4f} val_mAP {:.4f}\n", e, 2.0 + (last_loss - 2.0) * e / 6, e < 6 ? 0.0 : last_map);
    }
    return text;
  };
  EXPECT_TRUE(ConcludeFromText("metric-values", log(0.1, 0)).Has("constant-metric"));
  EXPECT_FALSE(ConcludeFromText("metric-values", log(1.7, 0)).Has("constant-metric"));
  EXPECT_FALSE(ConcludeFromText("metric-values", log(0.1, 0.02)).Has("constant-metric"));
}

}  // namespace
}  // namespace assay
