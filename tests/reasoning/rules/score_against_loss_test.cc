// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::AddConfig;
using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;
using testing::ReadLogText;

FactStore Training(auto loss, auto accuracy, std::string_view loss_name) {
  std::string log = "Train on 40000 samples, validate on 10000 samples\n";
  for (int i = 1; i <= 8; ++i) {
    log += fmt::format(
        "Epoch {}/8\n2500/2500 - 20s 8ms/step - loss: {:.4f} - accuracy: {:.4f} - val_loss: {:.4f} - val_accuracy: {:.4f}\n", i,
        loss(i), accuracy(i), loss(i) + 0.05, accuracy(i));
  }
  FactStore facts = ReadLogText(log);
  if (!loss_name.empty()) AddConfig(facts, "loss", loss_name);
  AddConfig(facts, "classes", "10");
  return facts;
}
constexpr auto kFalling = [](int i) { return 1.6 / i; };
constexpr auto kChance = [](int i) { return 0.0985 + 0.001 * (i % 4); };

TEST(ScoreAgainstLoss, FindsAnAccuracyBelowWhatTheLossAllows) {
  const Findings findings = Conclude("score-against-loss", Training(kFalling, kChance, "sparse_categorical_crossentropy"));
  EXPECT_EQ(Ids(findings, "score-against-loss"), "score-against-loss chance-metric");
}

TEST(ScoreAgainstLoss, LeavesAnAccuracyAloneThatFits) {
  EXPECT_EQ(Ids(Conclude("score-against-loss", Training(
                                                   kFalling, [](int i) { return 0.5 + 0.05 * i; }, "cross_entropy")),
                "score-against-loss"),
            "");
}

TEST(ScoreAgainstLoss, AsksForAPlainCrossEntropy) {
  for (const std::string_view other : {"binary_crossentropy", "focal_cross_entropy", "mse", ""}) {
    const Findings findings = Conclude("score-against-loss", Training(kFalling, kChance, other));
    EXPECT_FALSE(findings.Has("score-against-loss")) << other;
    EXPECT_TRUE(IsNotChecked(findings, "score-against-loss")) << other;
  }
  FactStore weighted = Training(kFalling, kChance, "cross_entropy");
  AddConfig(weighted, "class_weights", "[0.1, 0.9]");
  EXPECT_FALSE(Conclude("score-against-loss", weighted).Has("score-against-loss"));
}

TEST(ScoreAgainstLoss, LeavesAHardTaskAloneWhoseLossStays) {
  EXPECT_EQ(Ids(Conclude("score-against-loss", Training([](int i) { return 2.303 - 0.001 * i; }, kChance, "cross_entropy")),
                "score-against-loss"),
            "");
}

TEST(ScoreAgainstLoss, NeedsTheSizeOfTheSetForChance) {
  FactStore facts = ReadLogText("epoch 1 loss 2.0 val_acc 0.1\n");
  EXPECT_TRUE(IsNotChecked(Conclude("score-against-loss", facts), "chance-metric"));
}

}  // namespace
}  // namespace assay
