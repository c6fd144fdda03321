// SPDX-License-Identifier: Apache-2.0
#include "reasoning/health.h"

#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

bool IsPositive(std::string_view log) {
  const FactStore facts = testing::ReadLogText(log);
  const FactView view(facts);
  return AssessHealth(view, testing::FindingsOf(facts), ExtentOfRun(view)).positive;
}

const std::string kBar =
    "train:  50%|#####     | 90/180 [00:03<00:03, 31.20it/s]\rtrain: 100%|##########| 180/180 [00:05<00:00, 31.20it/s]";

TEST(Health, ACompleteBarIsAnEndWhereNothingBreaksOffBehindIt) {
  EXPECT_TRUE(IsPositive(kBar + "\n"));
  EXPECT_TRUE(IsPositive(kBar));
  EXPECT_FALSE(IsPositive(kBar + "\rsaving the mod"));
  EXPECT_FALSE(IsPositive(kBar + "\nsaving\nValidation 12/12 [00:00<00:00, 40.00"));
}

TEST(Health, WhatIsLoadedBeforeTrainingIsNoTraining) {
  const std::string shards =
      "Loading checkpoint shards:  33%|###3      | 1/3 [00:03<00:06,  3.30s/it]\r"
      "Loading checkpoint shards: 100%|##########| 3/3 [00:09<00:00,  3.30s/it]\n";
  EXPECT_FALSE(IsPositive(shards));
  EXPECT_FALSE(IsPositive(shards + "2026-10-05 18:00:31 torch 2.9.1\n"));
}

TEST(Health, TheStepsOfOneEpochAreNotThePlan) {
  std::string log;
  for (int epoch = 1; epoch <= 12; ++epoch) {
    log += "2021-08-11 19:57:01,000 - INFO - ignite.engine.engine.SupervisedTrainer - Epoch: " + std::to_string(epoch) +
           "/200, Iter: 96/96 -- train_loss: 0.5128 \n";
  }
  EXPECT_FALSE(IsPositive(log));
  std::string anew;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (int step = 40; step <= 120; step += 40)
      anew += "2026-02-24 20:04:00 epoch  " + std::to_string(epoch) + " it " + std::to_string(step) + "/120 loss 0.04852\n";
  }
  EXPECT_FALSE(IsPositive(anew));
}

TEST(Health, APlanBeyondAnyCountIsNone) {
  FactStore facts = testing::ReadLogText(testing::Steps(10));
  facts.Add(ConfigValue{.key = "max_steps", .value = "1e400"});
  const Extent extent = ExtentOfRun(FactView(facts));
  EXPECT_FALSE(extent.planned_steps.has_value());
  EXPECT_FALSE(extent.reached_plan);
}

TEST(Health, DoneAsTheLastWord) {
  const std::string steps = "step 1 loss 2.0\nstep 2 loss 1.9\nstep 3 loss 1.8\n";
  EXPECT_TRUE(IsPositive(steps + "done\n"));
  EXPECT_TRUE(IsPositive(steps + "2026-02-02 10:00:00 INFO Finished.\n"));
  EXPECT_FALSE(IsPositive("done\n" + steps + "done\n"));  // said of something else before
  EXPECT_FALSE(IsPositive(steps + "done"));               // cut
  EXPECT_FALSE(IsPositive(steps + "done\nsaving\n"));
  EXPECT_FALSE(IsPositive("reading\ndone\n"));
  EXPECT_FALSE(IsPositive("step 1/90 loss 2.0\nstep 2/90 loss 1.9\nstep 3/90 loss 1.8\ndone\n"));
}

// The shell of a job script says "done" too, whatever became of the program.
TEST(Health, DoneInTheOutputOfAJob) {
  FactStore facts = testing::ReadLogText("step 1 loss 2.0\nstep 2 loss 1.9\nstep 3 loss 1.8\ndone\n");
  for (const auto& [path, positive] : {std::pair{"slurm-12.out", false}, {"fit.o4411", false}, {"fit.log", true}}) {
    facts.source(SourceId{0}).path = path;
    const FactView view(facts);
    EXPECT_EQ(AssessHealth(view, testing::FindingsOf(facts), ExtentOfRun(view)).positive, positive) << path;
  }
}

TEST(Health, TheFinalStateIsSaved) {
  const std::string steps = "step 1 loss 2.0\nstep 2 loss 1.9\n";
  EXPECT_TRUE(IsPositive(steps + "saved final model to out/final.pt\n"));
  EXPECT_FALSE(IsPositive(steps + "saving final model to out/final.pt\n"));
}

// The best round is told again below the line that stops.
TEST(Health, BoostingThatStopsEarly) {
  EXPECT_TRUE(IsPositive(
      "[50]\tvalid_1's auc: 0.81\n[100]\tvalid_1's auc: 0.84\nEarly stopping, best iteration is:\n[83]\tvalid_1's auc: "
      "0.85\n"));
}

}  // namespace
}  // namespace assay
