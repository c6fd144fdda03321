// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::ConcludeFromText;
using testing::Ids;
using testing::ReadLogText;

constexpr std::string_view kRule = "learning-rate";

void Configure(FactStore& store, std::string_view key, std::string_view value) {
  store.Add(
      ConfigValue{.key = std::string(key), .value = std::string(value), .cite = {.source = SourceId{0}, .begin = 0, .end = 4}});
}

std::string Bars(int from, int to, int total, double (*rate)(int)) {
  std::string log;
  for (int i = from; i <= to; i += 10)
    log +=
        fmt::format("Steps:  25%|##5       | {}/{} [33:21<1:40:02,  1.25it/s, lr={:.3g}, step_loss=0.0912]\n", i, total, rate(i));
  return log;
}

TEST(LearningRate, ZeroLongBeforeTheEnd) {
  const Findings f = ConcludeFromText(kRule, Bars(2500, 2640, 10000, [](int) { return 0.0; }));
  EXPECT_EQ(Ids(f, kRule), "lr-zero");
}

TEST(LearningRate, EndsAtAQuarter) {
  const Findings f =
      ConcludeFromText(kRule, Bars(10, 4000, 10000, [](int i) { return i < 2500 ? 1e-5 * (1 - i / 2500.0) : 0.0; }));
  EXPECT_EQ(Ids(f, kRule), "lr-zero lr-ends-early");
  EXPECT_NE(f.Find("lr-ends-early")->statement.find("1/4"), std::string::npos);
}

TEST(LearningRate, LookAlikesOfZero) {
  // The end of the schedule.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Bars(10, 10000, 10000, [](int i) { return 1e-5 * (1 - i / 10000.0); })), kRule), "");
  // A warm-up or a scaler that skips the first steps.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Bars(0, 200, 10000, [](int) { return 0.0; })), kRule), "");
  // A log that prints four decimals.
  std::string log;
  for (int i = 0; i < 100; ++i) log += fmt::format("step {}/1000 loss {:.3f} lr 0.0000\n", i, 3 - 0.01 * i);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, log), kRule), "");
  // Restarts touch 0 for a moment.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Bars(10, 6000, 10000, [](int i) { return i % 2000 == 0 ? 0.0 : 1e-5; })), kRule), "");
}

std::string Diverging(double peak, bool constant) {
  std::string log;
  for (int i = 1; i <= 60; ++i)
    log += fmt::format("step {} loss {} lr {:.3e}\n", i, i < 55 ? "2.5" : "nan", constant ? peak : peak * i / 60);
  return log;
}

TEST(LearningRate, NearItsPeakAtTheBreak) {
  EXPECT_TRUE(ConcludeFromText(kRule, Diverging(1e-3, false)).Has("lr-near-peak-at-break"));
  EXPECT_FALSE(ConcludeFromText(kRule, Diverging(1e-3, true)).Has("lr-near-peak-at-break"));
}

TEST(LearningRate, UnusualNeedsTheOptimizer) {
  FactStore adam = ReadLogText(Diverging(2e-2, false));
  EXPECT_FALSE(Conclude(kRule, adam).Has("lr-unusual"));
  Configure(adam, "optimizer", "AdamW");
  EXPECT_TRUE(Conclude(kRule, adam).Has("lr-unusual"));
  FactStore sgd = ReadLogText(Diverging(2e-1, false));
  Configure(sgd, "optimizer", "sgd");
  EXPECT_FALSE(Conclude(kRule, sgd).Has("lr-unusual"));
  FactStore muon = ReadLogText(Diverging(2e-2, false));
  Configure(muon, "optimizer.name", "muon");
  EXPECT_FALSE(Conclude(kRule, muon).Has("lr-unusual"));
  EXPECT_TRUE(ConcludeFromText(kRule, "using fused AdamW: True\n" + Diverging(2e-2, false)).Has("lr-unusual"));
  // Adapters take more than a full fine-tuning.
  FactStore lora = ReadLogText(Diverging(2e-3, false));
  Configure(lora, "optimizer", "AdamW");
  Configure(lora, "base_model", "m");
  EXPECT_TRUE(Conclude(kRule, lora).Has("lr-unusual"));
  Configure(lora, "lora_r", "8");
  EXPECT_FALSE(Conclude(kRule, lora).Has("lr-unusual"));
}

TEST(LearningRate, NoSeriesAndNoSettingIsNotChecked) {
  EXPECT_TRUE(testing::IsNotChecked(ConcludeFromText(kRule, "step 1 loss 2.0\nstep 2 loss nan\n"), "lr-unusual"));
}

TEST(LearningRate, NotAsConfigured) {
  FactStore store = ReadLogText(Bars(10, 9900, 10000, [](int) { return 1e-5; }));
  Configure(store, "lr_scheduler", "cosine");
  EXPECT_TRUE(Conclude(kRule, store).Has("lr-not-as-config"));
  FactStore right = ReadLogText(Bars(10, 9900, 10000, [](int) { return 1e-5; }));
  Configure(right, "lr_scheduler", "constant");
  EXPECT_FALSE(Conclude(kRule, right).Has("lr-not-as-config"));
}

TEST(LearningRate, ADecayThatTheConfigurationEnds) {
  std::string log;
  for (int i = 1; i <= 60; ++i)
    log += fmt::format("step {}/6000 loss 1.{} lr {:.6e}\n", 100 * i, i % 10, i < 50 ? 6e-4 * (50 - i) / 50 : 0.0);
  FactStore asked = testing::ReadLogText(log);
  EXPECT_TRUE(testing::Conclude("learning-rate", asked).Has("lr-zero"));
  const SourceId config = asked.AddSource({.path = "train.yaml", .format = "yaml-config"});
  asked.Add(ConfigValue{.key = "lr_decay_iters", .value = "5000", .cite = {.source = config, .begin = 0, .end = 8}});
  EXPECT_FALSE(testing::Conclude("learning-rate", asked).Has("lr-zero"));
}

std::string ByEpoch(double from, double to, int epochs) {
  std::string log = fmt::format("***** Running training *****\n  Num Epochs = {}\n", epochs);
  for (int tenth = 1; tenth <= 10 * epochs; ++tenth) {
    const double epoch = tenth / 10.0;
    const double rate = epoch < from ? 2e-4 * (1 - epoch / from) : epoch > to ? 1e-4 : 0;
    log += fmt::format("{{'loss': 2.1, 'grad_norm': 0.7, 'learning_rate': {}, 'epoch': {:.2f}}}\n",
                       rate == 0 ? "0.0" : fmt::format("{:.8f}", rate), epoch);
  }
  return log;
}

TEST(LearningRate, ZeroByEpochsWhereNoStepIsPrinted) {
  const Findings f = ConcludeFromText(kRule, ByEpoch(1, 4, 4));
  EXPECT_EQ(Ids(f, kRule), "lr-zero lr-ends-early");
  EXPECT_NE(f.Find("lr-ends-early")->statement.find("1/4 of the 4 planned epochs"), std::string::npos)
      << f.Find("lr-ends-early")->statement;
  EXPECT_EQ(Ids(ConcludeFromText(kRule, ByEpoch(4, 4, 4)), kRule), "");  // zero at the planned end alone
  EXPECT_EQ(Ids(ConcludeFromText(kRule, ByEpoch(1, 2, 4)), kRule), "");  // a pause
}

}  // namespace
}  // namespace assay
