// SPDX-License-Identifier: Apache-2.0
#include "reasoning/steps_before.h"

#include <gtest/gtest.h>

#include "tests/support/reading.h"

namespace assay {
namespace {

StepsBefore Training(std::string_view log) {
  const FactStore facts = testing::ReadLogText(log);
  return TrainingStepsBefore(FactView(facts), SourceId{0}, log.size());
}

TEST(StepsBefore, RowsCountFromTheFirstOne) {
  EXPECT_EQ(Training("step 20 loss 1.0\nstep 40 loss 1.0\nstep 60 loss 1.0\n").completed, 60);
  EXPECT_EQ(Training("step 4020 loss 1.0\nstep 4040 loss 1.0\n").completed, 40);
}

TEST(StepsBefore, NothingCounted) { EXPECT_FALSE(Training("hello\n").counted); }

TEST(StepsBefore, ABarThatHasNotMoved) {
  const StepsBefore steps = Training("  0%|          | 0/500 [00:00<?, ?it/s]\n");
  EXPECT_TRUE(steps.counted);
  EXPECT_EQ(steps.completed, 0);
}

TEST(StepsBefore, ABarThatHasNotMovedForMinutesCountsSomethingElse) {
  EXPECT_FALSE(Training("  0%|          | 0/500 [00:00<?, ?it/s]\r  0%|          | 0/500 [21:00<?, ?it/s]\n").counted);
}

TEST(StepsBefore, EpochBarsAddUp) {
  EXPECT_EQ(Training("Epoch 0:   0%|          | 0/50 [00:00<?, ?it/s]\rEpoch 0: 100%|##########| 50/50 [00:10<00:00, 5.00it/s]\n"
                     "Epoch 1:   0%|          | 0/50 [00:00<?, ?it/s]\rEpoch 1:  20%|##        | 10/50 [00:02<00:08, 5.00it/s]\n")
                .completed,
            60);
}

TEST(StepsBefore, InterleavedRanksDoNotAddUp) {
  std::string log;
  for (int i = 0; i < 40; ++i) {
    log += " 10%|#         | " + std::to_string(i) + "/400 [00:10<01:30, 4.00it/s]\n";
    log += " 10%|#         | " + std::to_string(i > 2 ? i - 2 : 0) + "/400 [00:10<01:30, 4.00it/s]\n";
  }
  EXPECT_LT(Training(log).completed, 41);
}

TEST(StepsBefore, AnEvaluationInsideATraining) {
  const std::string log =
      "  5%|5         | 500/10000 [01:00<19:00, 8.00it/s]\n"
      "  0%|          | 0/125 [00:00<?, ?it/s]\n"
      " 40%|####      | 50/125 [00:05<00:07, 10.00it/s]\n";
  const FactStore facts = testing::ReadLogText(log);
  EXPECT_EQ(EvaluationStepsBefore(FactView(facts), SourceId{0}, log.size()).completed, 50);
}

TEST(StepsBefore, AnEvaluationThatDrawsNoBar) {
  const std::string log = "step 20 loss 1.0\n  5%|5         | 500/10000 [01:00<19:00, 8.00it/s]\n";
  const FactStore facts = testing::ReadLogText(log);
  EXPECT_FALSE(EvaluationStepsBefore(FactView(facts), SourceId{0}, log.size()).counted);
}

}  // namespace
}  // namespace assay
