// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;

constexpr std::string_view kRule = "loss-scale";

std::string DeepspeedOverflows(int count, double scale) {
  std::string log;
  for (int i = 0; i < count; ++i, scale = std::max(1.0, scale / 2)) {
    log += fmt::format(
        "[2026-01-02 01:02:{:02},003] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. "
        "Attempted loss scale: "
        "{}, reducing to {}\n",
        i, scale, std::max(1.0, scale / 2));
  }
  return log;
}

std::string TrainerRows(int count) {
  std::string log;
  for (int i = 1; i <= count; ++i)
    log += fmt::format("{{'loss': {:.3f}, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': {:.2f}}}\n", 3 - 0.01 * i, 0.01 * i);
  return log;
}

constexpr std::string_view kMegatron =
    " iteration {}/ 90000 | consumed samples: 64 | elapsed time per iteration (ms): 900.0 | learning rate: 1.0E-04 | lm loss: "
    "2.1E+00 | loss scale: {} | "
    "grad norm: {} | number of skipped iterations: {} | number of nan iterations: 0 |\n";

TEST(LossScale, DeepSpeedFallsToItsFloorAndSkipsOn) {
  const Findings f = ConcludeFromText(kRule, DeepspeedOverflows(19, 65536));
  EXPECT_EQ(Ids(f, kRule), "scale-collapse scale-at-floor");
  EXPECT_FALSE(f.Find("scale-collapse")->survived);
}

TEST(LossScale, CalibrationIsBenign) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule, DeepspeedOverflows(6, 65536) + TrainerRows(40)), kRule), "scale-startup-skips");
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\n"
                                 "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 16384.0\n" +
                                     TrainerRows(40)),
                kRule),
            "scale-startup-skips");
}

// The lines about skips say no step; the steps that went well stand in lines of another writer.
TEST(LossScale, SkipsWithStepsBetweenThemAreNoRun) {
  const auto rows = [](int from, int to) {
    std::string log;
    for (int step = from; step <= to; step += 10) log += fmt::format("step {} loss {:.3f} lr 1e-4\n", step, 3.0 - 0.001 * step);
    return log;
  };
  std::string log = DeepspeedOverflows(8, 65536);
  for (int i = 0; i < 4; ++i) log += rows(10 + 200 * i, 200 + 200 * i) + DeepspeedOverflows(1, 512);
  EXPECT_FALSE(ConcludeFromText(kRule, log + "step 810 loss 2.1 lr 1e-4\n").Has("scale-collapse"));
  // A writer that prints skipped steps too: between its lines as many were skipped as passed.
  std::string collapse;
  for (int i = 0; i < 4; ++i)
    collapse += fmt::format("step {} loss 2.1 lr 1e-4\n", 100 + 5 * i) + DeepspeedOverflows(5, 65536 >> (5 * i));
  EXPECT_TRUE(ConcludeFromText(kRule, rows(10, 90) + collapse).Has("scale-collapse"));
}

TEST(LossScale, AHighStartIsStillCalibrated) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule, DeepspeedOverflows(15, 4294967296) + "step 10 loss 2.9 lr 1e-4\n"), kRule), "");
}

TEST(LossScale, MegatronCountsSkipsPerLine) {
  std::string log = fmt::format(fmt::runtime(kMegatron), 100, "4096.0", 1.1, 15);
  for (int i = 2; i <= 20; ++i) log += fmt::format(fmt::runtime(kMegatron), i * 100, "4096.0", 1.1, 0);
  EXPECT_FALSE(ConcludeFromText(kRule, log).Has("scale-collapse"));
  EXPECT_FALSE(ConcludeFromText(kRule, log).Has("skips-all"));
}

TEST(LossScale, BelowOneUntilTheEnd) {
  std::string log;
  double scale = 64;
  for (int i = 201; i <= 215; ++i, scale /= 2) log += fmt::format(fmt::runtime(kMegatron), i, scale, 1.1, 1);
  const Findings f = ConcludeFromText(kRule, log);
  EXPECT_TRUE(f.Has("scale-collapse"));
  EXPECT_FALSE(f.Find("scale-collapse")->survived);
  EXPECT_TRUE(f.Has("scale-falls-norm-flat"));
}

TEST(LossScale, ABf16RunHasAConstantScaleOfOne) {
  std::string log;
  for (int i = 1; i <= 30; ++i) log += fmt::format(fmt::runtime(kMegatron), i, "1.0", 1.1, 0);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, log), kRule), "");
}

TEST(LossScale, AnotherScaleIsNone) {
  std::string log;
  for (int i = 1; i <= 30; ++i) log += fmt::format("step {} loss 2.1 scale 0.{}\n", i, 31 + i);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, log), kRule), "");
}

TEST(LossScale, MostStepsSkipped) {
  std::string log;
  for (int i = 50; i <= 400; i += 50)
    log += fmt::format(
        "[2026-01-02 01:02:03,003] [INFO] [logging.py:96:log_dist] [Rank 0] step={}, skipped={}, lr=[1e-05], mom=[(0.9, "
        "0.999)]\n",
        i, i - 3);
  EXPECT_TRUE(ConcludeFromText(kRule, log).Has("skips-all"));
}

TEST(LossScale, FairseqGoesOnBelowOneWithoutSkips) {
  std::string log = "gradient overflow detected, ignoring gradient, setting loss scale to: 0.5\n";
  for (int i = 1; i <= 30; ++i) {
    log += fmt::format(
        "epoch 001:   {} / 500 loss=9.113, nll_loss=8.954, ppl=495.9, wps=41022, ups=2.31, wpb=17740, bsz=640, num_updates={}, "
        "lr=1.5e-06, gnorm=3.21, loss_scale=0.5, train_wall=5, wall=12\n",
        i, i);
  }
  const Findings f = ConcludeFromText(kRule, log);
  ASSERT_TRUE(f.Has("scale-collapse"));
  EXPECT_TRUE(f.Find("scale-collapse")->survived);
}

TEST(LossScale, BatchesThatALoopLeftOutAreNoneOfTheScalers) {
  std::string log;
  for (int i = 1; i <= 60; ++i) log += fmt::format("epoch 0 batch {} loss 1.2 trained {} skipped {}\n", 10 * i, 6 * i, 4 * i);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, log), kRule), "");
  EXPECT_NE(Ids(ConcludeFromText(kRule, "Using native Torch AMP. Training in mixed precision.\n" + log), kRule), "");
}

TEST(LossScale, FallsToTheEndWithRoundedNumbers) {
  std::string log = "GradScaler enabled\n";
  double scale = 65536;
  for (int i = 1; i <= 60; ++i, scale /= 2) log += fmt::format("step {} loss 3.1 scale {:.4g}\n", i, scale);
  const Findings f = ConcludeFromText(kRule, log);
  ASSERT_TRUE(f.Has("scale-collapse"));
  EXPECT_FALSE(f.Find("scale-collapse")->survived);
  for (int i = 61; i <= 90; ++i) log += fmt::format("step {} loss 3.0 scale {:.4g}\n", i, scale);
  EXPECT_TRUE(ConcludeFromText(kRule, log).Find("scale-collapse")->survived);
}

// Twelve halvings are no collapse while there is room below.
TEST(LossScale, ALogThatStopsInTheCalibration) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule, DeepspeedOverflows(12, 4294967296.0)), kRule), "");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, DeepspeedOverflows(30, 4294967296.0)), kRule), "scale-collapse");
  EXPECT_TRUE(ConcludeFromText(kRule, DeepspeedOverflows(19, 65536)).Has("scale-collapse"));
}

}  // namespace
}  // namespace assay
