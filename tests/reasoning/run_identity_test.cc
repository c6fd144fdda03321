// SPDX-License-Identifier: Apache-2.0
#include "reasoning/run_identity.h"

#include <gtest/gtest.h>

#include "tests/support/sibling_facts.h"

namespace assay {
namespace {

using testing::State;

TEST(RunIdentity, NamesOfRepeats) {
  EXPECT_TRUE(NamesSayRepeat("logs/run1.log", "logs/run2.log"));
  EXPECT_TRUE(NamesSayRepeat("logs/run_a.log", "logs/run_b.log"));
  EXPECT_TRUE(NamesSayRepeat("session9.log", "session10.log"));
  EXPECT_FALSE(NamesSayRepeat("logs/seed1.log", "logs/seed2.log"));
  EXPECT_FALSE(NamesSayRepeat("logs/trial1.log", "logs/trial2.log"));
  EXPECT_FALSE(NamesSayRepeat("logs/lr0.1.log", "logs/lr0.2.log"));
  EXPECT_FALSE(NamesSayRepeat("logs/vgg.log", "logs/resnet.log"));
  EXPECT_FALSE(NamesSayRepeat("logs/prune1.log", "logs/prune2.log"));
  EXPECT_FALSE(NamesSayRepeat("logs/run1.log", "logs/run1.log"));
}

TEST(RunIdentity, WhatCountsAsADifference) {
  FactStore ours;
  FactStore theirs;
  for (const auto& [key, value, other] :
       {std::tuple{"lr", "0.10", "0.1"}, std::tuple{"output_dir", "out/a", "out/b"}, std::tuple{"run_name", "a", "b"},
        std::tuple{"seed", "42", "42"}, std::tuple{"epochs", "10", "10"}, std::tuple{"package.torch", "2.1", "2.2"}}) {
    State(ours, "a", key, value);
    State(theirs, "b", key, other);
  }
  const Comparison same = Compare(FactView(ours), FactView(theirs));
  EXPECT_TRUE(same.same_settings);
  EXPECT_EQ(same.seed, "42");
  EXPECT_EQ(same.common, 3U);
  ASSERT_EQ(same.different.size(), 1U);
  EXPECT_EQ(same.different[0].kind, DifferenceKind::kEnvironment);
  State(ours, "a", "batch_size", "32");
  State(theirs, "b", "batch_size", "64");
  EXPECT_FALSE(Compare(FactView(ours), FactView(theirs)).comparable);
}

TEST(RunIdentity, AnArgumentGivenToOneRunAlone) {
  FactStore ours;
  FactStore theirs;
  for (const std::string_view key : {"args.lr", "args.epochs", "args.seed"}) {
    State(ours, "a", key, "1");
    State(theirs, "b", key, "1");
  }
  EXPECT_TRUE(Compare(FactView(ours), FactView(theirs)).same_settings);
  State(theirs, "b", "args.dropout", "0.5");
  EXPECT_FALSE(Compare(FactView(ours), FactView(theirs)).same_settings);
}

}  // namespace
}  // namespace assay
