// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/support/findings_of.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;

constexpr std::string_view kRule = "loss-series";

std::string Steps(int from, int to, int every, std::string_view format = "step {} | loss 2.{:03} | grad_norm 0.8{}\n") {
  std::string log;
  for (int i = from; i <= to; i += every) log += fmt::format(fmt::runtime(format), i, (1000 - i % 1000) % 1000, i % 10);
  return log;
}

TEST(LossSeries, NanThatStaysIsFoundWithItsPlace) {
  const Findings f =
      ConcludeFromText(kRule, Steps(0, 400, 20) + "step 420 | loss nan | grad_norm nan\nstep 440 | loss nan | grad_norm nan\n");
  EXPECT_EQ(Ids(f, kRule), "loss-nonfinite first-bad-late");
  EXPECT_EQ(f.Find("loss-nonfinite")->step, 420);
  EXPECT_FALSE(f.Find("loss-nonfinite")->survived);
}

TEST(LossSeries, FirstStep) {
  const Findings f = ConcludeFromText(kRule, "step 0 | loss nan | grad_norm nan\nstep 1 | loss nan | grad_norm nan\n");
  EXPECT_EQ(Ids(f, kRule), "loss-nonfinite first-bad-step-0");
}

TEST(LossSeries, HiddenByTheTrainersFilter) {
  const Findings f = ConcludeFromText(kRule,
                                      "{'loss': 2.1, 'grad_norm': 1.2, 'learning_rate': 1e-05, 'epoch': 0.1}\n"
                                      "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 9e-06, 'epoch': 0.2}\n"
                                      "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 8e-06, 'epoch': 0.3}\n");
  EXPECT_EQ(Ids(f, kRule), "loss-hidden-nan");
}

TEST(LossSeries, MissingLossOfMegatron) {
  constexpr std::string_view kLine =
      " iteration {}/ 1000 | consumed samples: 64 | elapsed time per iteration (ms): 900.0 | learning rate: 1.0E-04 | {}loss "
      "scale: 1.0 | "
      "number of skipped iterations: 0 | number of nan iterations: {} |\n";
  std::string log;
  for (int i = 1; i <= 5; ++i) log += fmt::format(fmt::runtime(kLine), i, "lm loss: 4.1E+00 | ", 0);
  for (int i = 6; i <= 9; ++i) log += fmt::format(fmt::runtime(kLine), i, "", 1);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, log), kRule), "loss-hidden-nan");
}

// Of an iteration that the scaler skipped there is no loss either.
TEST(LossSeries, AnIterationThatTheScalerSkippedHidesNoNan) {
  constexpr std::string_view kLine =
      " iteration {}/ 1000 | consumed samples: 64 | elapsed time per iteration (ms): 900.0 | learning rate: 1.0E-04 | {}loss "
      "scale: {} | number of skipped iterations: {} | number of nan iterations: {} |\n";
  const auto with = [&](int nan) {
    std::string log;
    for (int i = 1; i <= 6; ++i) log += fmt::format(fmt::runtime(kLine), i, "", 65536 >> i, 1, nan);
    for (int i = 7; i <= 60; ++i) log += fmt::format(fmt::runtime(kLine), i, "lm loss: 4.1E+00 | ", 1024, 0, 0);
    return ConcludeFromText(kRule, log).Has("loss-hidden-nan");
  };
  EXPECT_FALSE(with(0));
  EXPECT_TRUE(with(1));
}

TEST(LossSeries, LossBeforeNormAndNormBeforeLoss) {
  const Findings loss = ConcludeFromText(kRule, Steps(1, 30, 1) + "step 31 | loss nan | grad_norm nan\n");
  EXPECT_TRUE(loss.Has("loss-before-grad"));
  EXPECT_FALSE(loss.Has("gradnorm-nonfinite"));  // it follows from the loss
  const Findings norm = ConcludeFromText(kRule, Steps(1, 30, 1) + "step 31 | loss 2.5 | grad_norm nan\n");
  EXPECT_EQ(Ids(norm, kRule), "gradnorm-nonfinite grad-before-loss");
  // Not every step is logged: nothing says what happened between.
  EXPECT_FALSE(ConcludeFromText(kRule, Steps(0, 300, 10) + "step 310 | loss nan | grad_norm nan\n").Has("loss-before-grad"));
}

TEST(LossSeries, GrowthAndSpikeBeforeTheBreak) {
  std::string log = Steps(1, 60, 1);
  for (int i = 61; i <= 75; ++i) log += fmt::format("step {} | loss {} | grad_norm {}\n", i, 40.0 + i, 50 + i);
  log += "step 76 | loss nan | grad_norm nan\n";
  const Findings f = ConcludeFromText(kRule, log);
  EXPECT_TRUE(f.Has("loss-spike-before"));
  EXPECT_TRUE(f.Has("gradnorm-growth"));
}

TEST(LossSeries, LookAlikesStaySilentOrAreSurvived) {
  // One spike that returns.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Steps(1, 40, 1) + "step 41 | loss 90.0 | grad_norm 60.0\n" + Steps(42, 90, 1)), kRule),
            "");
  // Norms that a loss scaler skips at the start, and now and then later.
  const Findings amp =
      ConcludeFromText(kRule, "step 1 | loss 9.1 | grad_norm inf\nstep 2 | loss 9.0 | grad_norm nan\n" + Steps(3, 60, 1));
  EXPECT_TRUE(amp.Find("gradnorm-nonfinite")->survived);
  EXPECT_FALSE(amp.Has("norm-only-nonfinite"));
  // A bar that shows NaN until the first average exists.
  const Findings bar = ConcludeFromText(
      kRule,
      "  1%|1         | 1/100 [00:01<01:39,  1.0it/s, loss=nan]\n  5%|5         | 5/100 [00:05<01:35,  1.0it/s, loss=2.1]\n"
      "  6%|6         | 6/100 [00:06<01:34,  1.0it/s, loss=2.0]\n  7%|7         | 7/100 [00:07<01:33,  1.0it/s, loss=1.9]\n");
  EXPECT_TRUE(bar.Find("loss-nonfinite")->survived);
  // A column that merely contains the word: log-probabilities at minus infinity, a masked part.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, "step 1 loss 2.1 masked_logprob -inf\nstep 2 loss 2.0 masked_logprob -inf\n"), kRule),
            "");
}

TEST(LossSeries, NanThatComesBackAgainAndAgainIsNotSurvived) {
  std::string log;
  for (int i = 1; i <= 400; ++i) log += fmt::format("step {} | loss {}\n", i, i > 150 && i % 50 == 0 ? "nan" : "1.25");
  const Findings f = ConcludeFromText(kRule, log + "step 401 | loss 1.25\nstep 402 | loss 1.25\n");
  ASSERT_TRUE(f.Has("loss-nonfinite"));
  EXPECT_FALSE(f.Find("loss-nonfinite")->survived);
}

TEST(LossSeries, OnlyTheNorm) {
  std::string log = Steps(1, 200, 1);
  for (int i = 201; i <= 230; ++i) log += fmt::format("step {} | loss 1.9 | grad_norm nan\n", i);
  EXPECT_TRUE(ConcludeFromText(kRule, log).Has("norm-only-nonfinite"));
}

TEST(LossSeries, OnlyTheEvaluation) {
  constexpr std::string_view kTrain = "{'loss': 1.6, 'learning_rate': 0.0002, 'epoch': 0.1}\n";
  EXPECT_TRUE(ConcludeFromText(kRule, std::string(kTrain) + "{'eval_loss': nan, 'eval_runtime': 12.0, 'epoch': 0.1}\n")
                  .Has("eval-only-nonfinite"));
  // Printed as NaN until the first evaluation.
  EXPECT_FALSE(
      ConcludeFromText(
          kRule,
          "epoch 1 train_loss 2.1 val_loss nan\nepoch 2 train_loss 1.9 val_loss nan\nepoch 3 train_loss 1.8 val_loss 1.9\n"
          "epoch 4 train_loss 1.7 val_loss 1.8\n")
          .Has("eval-only-nonfinite"));
}

TEST(LossSeries, PartsStandForALossThatIsNotPrintedAsAWhole) {
  std::string log = "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n";
  for (int epoch = 1; epoch <= 4; ++epoch) {
    const std::string values = epoch < 4 ? "1.2      0.9      1.1" : "nan      nan      nan";
    log += "      " + std::to_string(epoch) + "/9      3.1G      " + values +
           "         31        640: 100%|####| 30/30 [00:51<00:00,  5.8it/s]\n";
  }
  const Findings found = testing::FindingsOfLog(log);
  ASSERT_TRUE(found.Has("loss-nonfinite"));
  EXPECT_NE(found.Find("loss-nonfinite")->statement.find("box_loss"), std::string::npos);
}

// A bar carries NaN as the evaluation loss until the first evaluation.
TEST(LossSeries, TheBarBeforeTheFirstEvaluation) {
  const auto bar = [](int epoch, int batch, std::string_view loss) {
    return fmt::format("\rEpoch {}:  {}%|##        | {}/100 [00:01<00:30, 11.2it/s, v_num=1, train_loss=1.7{}, val_loss={}]",
                       epoch, batch, batch, batch % 10, loss);
  };
  const std::string first = bar(0, 11, "nan.0") + bar(0, 32, "nan.0") + bar(0, 54, "nan.0") + bar(0, 75, "nan.0");
  EXPECT_FALSE(ConcludeFromText(kRule, first + "\n").Has("eval-only-nonfinite"));
  EXPECT_FALSE(ConcludeFromText(kRule, first + "\n" + bar(1, 11, "0.9") + bar(1, 50, "0.9") + "\n").Has("eval-only-nonfinite"));
  EXPECT_TRUE(
      ConcludeFromText(kRule, first + "\n" + bar(1, 11, "nan.0") + bar(1, 50, "nan.0") + "\n").Has("eval-only-nonfinite"));
}

}  // namespace
}  // namespace assay
