// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"
#include "tests/support/sibling_facts.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;
using testing::Log;
using testing::State;

constexpr std::string_view kRule = "run-comparison";

double Curve(int i) { return 1.85352093 - 0.00517 * i; }
double CurveThatParts(int i) { return Curve(i) + (i > 12 ? 1e-4 * (i - 12) : 0); }
double CurveWithNoise(int i) { return Curve(i) + (i > 12 ? 1e-5 * (i - 12) : 0); }

// Two runs of one command; `theirs` states the settings given.
struct Two {
  FactStore ours;
  FactStore* theirs;
  Two(std::string_view our_path, std::string_view their_path) : theirs(&ours.AddSibling(std::string(their_path))) {
    for (const auto& [key, value] : {std::pair{"args.lr", "0.01"}, std::pair{"args.epochs", "200"}, std::pair{"args.seed", "42"},
                                     std::pair{"args.hidden", "16"}, std::pair{"args.dropout", "0.5"}}) {
      State(ours, our_path, key, value);
      State(*theirs, their_path, key, value);
    }
    Log(ours, our_path, 160, Curve);
    Log(*theirs, their_path, 160, CurveThatParts);
  }
};

TEST(RunComparison, SameSettingsAndSeedOtherResult) {
  Two two("logs/run2.log", "logs/run1.log");
  const Findings f = Conclude(kRule, two.ours);
  EXPECT_EQ(Ids(f, kRule), "first-diff");
  EXPECT_NE(f.Find("first-diff")->statement.find("step 13"), std::string::npos) << f.Find("first-diff")->statement;
  EXPECT_NE(f.Find("first-diff")->statement.find("seed 42"), std::string::npos);
}

TEST(RunComparison, TheLastDigitsOfADeviceAreNoFailure) {
  const auto noisy = [](bool deterministic) {
    FactStore ours;
    FactStore& theirs = ours.AddSibling("logs/run1.log");
    for (const auto& [key, value] :
         {std::pair{"args.lr", "0.01"}, std::pair{"args.epochs", "200"}, std::pair{"args.seed", "42"},
          std::pair{"args.hidden", "16"}, std::pair{"args.deterministic", deterministic ? "true" : "false"}}) {
      State(ours, "logs/run2.log", key, value);
      State(theirs, "logs/run1.log", key, value);
    }
    Log(ours, "logs/run2.log", 160, Curve);
    Log(theirs, "logs/run1.log", 160, CurveWithNoise);
    return Ids(Conclude(kRule, ours), kRule);
  };
  EXPECT_EQ(noisy(false), "");
  // Whoever asked for equal bits was promised them.
  EXPECT_EQ(noisy(true), "first-diff");
}

TEST(RunComparison, EqualRunsAreEqual) {
  FactStore ours;
  FactStore& theirs = ours.AddSibling("logs/run1.log");
  Log(ours, "logs/run2.log", 160, Curve);
  Log(theirs, "logs/run1.log", 160, Curve);
  EXPECT_EQ(Ids(Conclude(kRule, ours), kRule), "");
}

TEST(RunComparison, OrdinaryProjectsAreNoFailure) {
  // A sweep over the rate, a sweep over seeds, and a run that was resumed.
  Two sweep("logs/a.log", "logs/b.log");
  State(*sweep.theirs, "logs/b.log", "args.lr", "0.001");
  EXPECT_EQ(Ids(Conclude(kRule, sweep.ours), kRule), "config-diff");
  Two seeds("logs/seed1.log", "logs/seed2.log");
  State(*seeds.theirs, "logs/seed2.log", "args.seed", "43");
  EXPECT_EQ(Ids(Conclude(kRule, seeds.ours), kRule), "seed-differs");
  // A shorter run that crashed and was started again.
  FactStore again;
  FactStore& crashed = again.AddSibling("logs/run1.log");
  Log(again, "logs/run2.log", 160, Curve);
  Log(crashed, "logs/run1.log", 40, CurveThatParts);
  EXPECT_EQ(Ids(Conclude(kRule, again), kRule), "");
  // Two logs of which nothing says that they are one experiment.
  FactStore unknown;
  FactStore& other = unknown.AddSibling("logs/resnet.log");
  Log(unknown, "logs/vgg.log", 160, Curve);
  Log(other, "logs/resnet.log", 160, [](int i) { return 2.1 - 0.004 * i; });
  EXPECT_EQ(Ids(Conclude(kRule, unknown), kRule), "");
}

TEST(RunComparison, NamedRepeatsUnderOneSharedSeed) {
  FactStore ours;
  FactStore& theirs = ours.AddSibling("logs/run_a.log");
  State(ours, "config.yaml", "seed", "1234");
  Log(ours, "logs/run_b.log", 160, Curve);
  Log(theirs, "logs/run_a.log", 160, CurveThatParts);
  EXPECT_EQ(Ids(Conclude(kRule, ours), kRule), "first-diff");
  // Without a seed anywhere and other values from the start, nothing says that they should be equal.
  FactStore free;
  FactStore& other = free.AddSibling("logs/run_a.log");
  Log(free, "logs/run_b.log", 160, Curve);
  Log(other, "logs/run_a.log", 160, [](int i) { return 2.1 - 0.004 * i; });
  EXPECT_EQ(Ids(Conclude(kRule, free), kRule), "");
}

TEST(RunComparison, WhatElseDiffers) {
  Two two("logs/run2.log", "logs/run1.log");
  State(two.ours, "logs/run2.log", "package.torch", "2.1.0");
  State(*two.theirs, "logs/run1.log", "package.torch", "2.0.1");
  EXPECT_EQ(Ids(Conclude(kRule, two.ours), kRule), "first-diff env-diff");
  Two maps("logs/run2.log", "logs/run1.log");
  State(maps.ours, "logs/run2.log", "id2label.0", "cat");
  State(maps.ours, "logs/run2.log", "id2label.1", "dog");
  State(*maps.theirs, "logs/run1.log", "id2label.0", "dog");
  State(*maps.theirs, "logs/run1.log", "id2label.1", "cat");
  EXPECT_EQ(Ids(Conclude(kRule, maps.ours), kRule), "first-diff map-differs");
}

}  // namespace
}  // namespace assay
