// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;

std::string Log(int steps, auto seconds, std::string_view extra = "") {
  std::string log;
  for (int i = 1; i <= steps; ++i)
    log += fmt::format("step {} loss {:.4f} step_time {:.4f}{}\n", i * 10, 3.0 / i + 1, seconds(i), extra);
  return log;
}
// A little noise that no clock lacks.
double Noise(int i) { return 1 + 0.01 * ((i * 7) % 5 - 2); }

TEST(StepRate, FindsTheDropWithItsPlace) {
  const Findings findings = ConcludeFromText("step-rate", Log(100, [](int i) { return (i > 60 ? 0.8 : 0.4) * Noise(i); }));
  EXPECT_EQ(Ids(findings, "step-rate"), "rate-drop");
  EXPECT_EQ(findings.Find("rate-drop")->step, 610);
  EXPECT_EQ(findings.Find("rate-drop")->statement,
            "The step time was 0.4 s until step 600 and is 0.8 s in the last fifth of the run, slower by a factor of 2.00.");
}

// Of a log so long only some rows are looked at; every tenth step is slow all along, which is no drop.
TEST(StepRate, FindsTheDropOfALongLog) {
  const auto seconds = [](int i) { return (i % 10 == 0 ? 3 : 1) * (i > 120'000 ? 0.8 : 0.4) * Noise(i); };
  const Findings findings = ConcludeFromText("step-rate", Log(200'000, seconds));
  EXPECT_EQ(Ids(findings, "step-rate"), "rate-drop");
  EXPECT_NEAR(static_cast<double>(*findings.Find("rate-drop")->step), 1'200'000, 100);
  EXPECT_EQ(
      Ids(ConcludeFromText("step-rate", Log(200'000, [](int i) { return (i % 10 == 0 ? 3 : 1) * 0.4 * Noise(i); })), "step-rate"),
      "");
}

TEST(StepRate, FindsAnEarlyDropToo) {
  EXPECT_EQ(Ids(ConcludeFromText("step-rate", Log(100, [](int i) { return (i > 25 ? 0.8 : 0.4) * Noise(i); })), "step-rate"),
            "rate-drop");
}

TEST(StepRate, FindsAGrowthThatGoesOn) {
  const Findings findings = ConcludeFromText("step-rate", Log(60, [](int i) { return 0.4 * (1 + 0.02 * i) * Noise(i); }));
  EXPECT_TRUE(findings.Has("rate-decay"));
}

TEST(StepRate, ReadsTheElapsedTimeOfEpochs) {
  std::string log = "epoch       main/loss   main/accuracy  elapsed_time\n";
  double clock = 5;
  for (int epoch = 1; epoch <= 15; ++epoch) {
    clock += epoch < 10 ? 13 + 0.1 * (epoch % 3) : 13 + 9.0 * (epoch - 9);
    log += fmt::format("{}          {:.4f}      0.9970         {:.1f}\n", epoch, 1.0 / epoch, clock);
  }
  const Findings findings = ConcludeFromText("step-rate", log);
  EXPECT_TRUE(findings.Has("rate-drop"));
  EXPECT_TRUE(findings.Has("rate-decay"));
}

TEST(StepRate, ReadsRates) {
  std::string log;
  for (int i = 1; i <= 60; ++i)
    log += fmt::format("step {} loss 1.2{} tokens_per_second {:.0f}\n", i, i % 10, (i > 40 ? 9000 : 18000) * Noise(i));
  const Findings findings = ConcludeFromText("step-rate", log);
  EXPECT_EQ(Ids(findings, "step-rate"), "rate-drop");
  EXPECT_NE(findings.Find("rate-drop")->statement.find("1.8e+04 a second"), std::string::npos);
}

TEST(StepRate, LeavesAWarmUpAlone) {
  const auto warm = [](int i) { return (i < 5 ? 12.0 : 0.4) * Noise(i); };
  EXPECT_EQ(Ids(ConcludeFromText("step-rate", Log(100, warm)), "step-rate"), "");
  const std::string compiling =
      "V0912 torch/_dynamo/guards.py:2997] [0/1] [__recompiles] Recompiling function forward in /srv/asr/model.py:88\n" +
      Log(100, warm);
  EXPECT_EQ(Ids(ConcludeFromText("step-rate", compiling), "step-rate"), "compile-warmup");
}

TEST(StepRate, LeavesNoiseAndSingleSlowStepsAlone) {
  EXPECT_EQ(Ids(ConcludeFromText("step-rate", Log(100, [](int i) { return 0.4 * Noise(i * 3); })), "step-rate"), "");
  EXPECT_EQ(Ids(ConcludeFromText("step-rate", Log(100, [](int i) { return (i % 10 == 0 ? 6.0 : 0.4) * Noise(i); })), "step-rate"),
            "");
  EXPECT_EQ(Ids(ConcludeFromText("step-rate", Log(100, [](int i) { return i > 95 ? 2.0 : 0.4 * Noise(i); })), "step-rate"), "");
}

TEST(StepRate, KnowsAClockThatRunsOn) {
  std::string log;
  for (int i = 1; i <= 80; ++i) log += fmt::format("step {} loss {:.3f} time {:.1f}\n", i * 10, 2.0 / i, 4.1 * i);
  EXPECT_EQ(Ids(ConcludeFromText("step-rate", log), "step-rate"), "");
}

TEST(StepRate, LetsTheWorkExplainTheTime) {
  std::string log;
  for (int i = 1; i <= 80; ++i)
    log += fmt::format("step {} loss 1.{} seq_len {} step_time {:.3f}\n", i, i % 10, i > 40 ? 2048 : 1024,
                       (i > 40 ? 0.8 : 0.4) * Noise(i));
  EXPECT_EQ(Ids(ConcludeFromText("step-rate", log), "step-rate"), "work-per-step-grew");
}

TEST(StepRate, LeavesAnAnnouncedPhaseAlone) {
  std::string log;
  for (int i = 1; i <= 80; ++i) {
    if (i == 41) log += "Unfreezing the encoder\n";
    log += fmt::format("step {} loss 1.{} step_time {:.3f}\n", i, i % 10, (i > 40 ? 0.8 : 0.4) * Noise(i));
  }
  EXPECT_EQ(Ids(ConcludeFromText("step-rate", log), "step-rate"), "");
}

TEST(StepRate, SaysWhenItCannotLook) {
  const Findings silent = ConcludeFromText("step-rate", "step 1 loss 2.0\nstep 2 loss 1.9\n");
  EXPECT_TRUE(IsNotChecked(silent, "rate-drop"));
  std::string rollouts;
  for (int i = 1; i <= 60; ++i)
    rollouts += fmt::format("step {} loss 0.{} reward {} step_time {:.3f}\n", i, i % 10 + 1, i, i > 40 ? 0.9 : 0.3);
  EXPECT_TRUE(IsNotChecked(ConcludeFromText("step-rate", rollouts), "rate-drop"));
}

}  // namespace
}  // namespace assay
