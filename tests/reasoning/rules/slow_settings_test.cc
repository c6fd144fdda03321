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

Findings With(std::string_view key, std::string_view value) {
  FactStore facts;
  AddConfig(facts, key, value);
  return Conclude("slow-settings", facts);
}

TEST(SlowSettings, FindsSwitches) {
  EXPECT_EQ(Ids(With("env.CUDA_LAUNCH_BLOCKING", "1"), "slow-settings"), "debug-switches");
  EXPECT_EQ(Ids(With("trainer.detect_anomaly", "true"), "slow-settings"), "debug-switches");
  EXPECT_EQ(Ids(With("NCCL_DEBUG", "TRACE"), "slow-settings"), "debug-switches");
  EXPECT_EQ(Ids(With("watch", "all"), "slow-settings"), "log-every-step");
}

TEST(SlowSettings, LeavesSwitchesAloneThatAreOff) {
  EXPECT_EQ(Ids(With("env.CUDA_LAUNCH_BLOCKING", "0"), "slow-settings"), "");
  EXPECT_EQ(Ids(With("detect_anomaly", "False"), "slow-settings"), "");
  EXPECT_EQ(Ids(With("NCCL_DEBUG", "INFO"), "slow-settings"), "");
  EXPECT_EQ(Ids(With("log_every_n_steps", "1"), "slow-settings"), "");
}

TEST(SlowSettings, FindsFullPrecisionOnlyWhereItIsSaidTwice) {
  FactStore facts;
  AddConfig(facts, "precision", "fp32");
  EXPECT_EQ(Ids(Conclude("slow-settings", facts), "slow-settings"), "");
  AddConfig(facts, "allow_tf32", "false");
  EXPECT_EQ(Ids(Conclude("slow-settings", facts), "slow-settings"), "fp32-no-tf32");
}

std::string Compiling(auto compiles) {
  std::string log;
  for (int i = 1; i <= 40; ++i) {
    if (compiles(i))
      log += fmt::format(
          "V0912 10:12:33.118000 20931 torch/_dynamo/guards.py:2997] [0/{}] [__recompiles] Recompiling function forward in "
          "/srv/m.py:88\n",
          i);
    log += fmt::format("step {} loss 1.{}\n", i, i % 10);
  }
  return log;
}

TEST(SlowSettings, FindsCompilationThatGoesOn) {
  EXPECT_EQ(Ids(ConcludeFromText("slow-settings", Compiling([](int i) { return i % 8 == 0; })), "slow-settings"),
            "recompile-lines");
}

TEST(SlowSettings, LeavesTheCompilationOfAStartAlone) {
  EXPECT_EQ(Ids(ConcludeFromText("slow-settings", Compiling([](int i) { return i <= 4; })), "slow-settings"), "");
  EXPECT_EQ(Ids(ConcludeFromText("slow-settings", Compiling([](int i) { return i == 20; })), "slow-settings"), "");
}

constexpr std::string_view kLimit =
    "W0402 21:12:44.120933 9911 torch/_dynamo/convert_frame.py:915] [7/8] torch._dynamo hit config.recompile_limit (8)\n";

std::string WithLimit(double before, double after) {
  std::string log;
  for (int i = 1; i <= 40; ++i) {
    if (i == 5) log += kLimit;
    log += fmt::format("step {} loss 1.{} samples/s {}\n", i, i % 10, i < 5 ? before : after);
  }
  return log;
}

TEST(SlowSettings, ALimitThatCostsNothingIsNoFailure) {
  EXPECT_TRUE(ConcludeFromText("slow-settings", WithLimit(3900, 3880)).Find("recompile-lines")->survived);
  EXPECT_FALSE(ConcludeFromText("slow-settings", WithLimit(3900, 900)).Find("recompile-lines")->survived);
  // Where nothing tells the rate nothing excuses it.
  EXPECT_FALSE(ConcludeFromText("slow-settings", std::string(kLimit) + "step 1 loss 2.0\nstep 2 loss 1.9\n")
                   .Find("recompile-lines")
                   ->survived);
}

TEST(SlowSettings, AGraphThatIsTracedAgainAndAgain) {
  const auto log = [](auto traced) {
    std::string text;
    for (int i = 1; i <= 40; ++i) {
      if (traced(i))
        text += "WARNING:tensorflow:6 out of the last 6 calls to <function step at 0x7f> triggered tf.function retracing.\n";
      text += fmt::format("step {} loss 1.{}\n", i, i % 10);
    }
    return text;
  };
  EXPECT_TRUE(ConcludeFromText("slow-settings", log([](int i) { return i % 8 == 0; })).Has("recompile-lines"));
  EXPECT_FALSE(ConcludeFromText("slow-settings", log([](int i) { return i <= 2; })).Has("recompile-lines"));
}

}  // namespace
}  // namespace assay
