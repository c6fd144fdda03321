// SPDX-License-Identifier: Apache-2.0
#include "evidence/facts/metric_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace assay {
namespace {

TEST(MetricNames, KnowsWhatFrameworksPrint) {
  constexpr std::pair<std::string_view, Metric> kKnown[] = {{"loss", Metric::kLoss},
                                                            {"train/loss", Metric::kLoss},
                                                            {"lm loss", Metric::kLoss},
                                                            {"main/loss", Metric::kLoss},
                                                            {"loss_train", Metric::kLoss},
                                                            {"L_out", Metric::kLoss},
                                                            {"train-rmse", Metric::kLoss},
                                                            {"train_loss_step", Metric::kLoss},
                                                            {"val_loss", Metric::kEvalLoss},
                                                            {"val loss", Metric::kEvalLoss},
                                                            {"eval/loss", Metric::kEvalLoss},
                                                            {"loss_val", Metric::kEvalLoss},
                                                            {"lm loss value", Metric::kEvalLoss},
                                                            {"validate/loss", Metric::kEvalLoss},
                                                            {"valid_0's binary_logloss", Metric::kEvalLoss},
                                                            {"grad norm", Metric::kGradNorm},
                                                            {"gnorm", Metric::kGradNorm},
                                                            {"optim/total_grad_norm", Metric::kGradNorm},
                                                            {"lr", Metric::kLearningRate},
                                                            {"LR", Metric::kLearningRate},
                                                            {"learning rate", Metric::kLearningRate},
                                                            {"loss scale", Metric::kLossScale},
                                                            {"number of skipped iterations", Metric::kSkippedSteps},
                                                            {"number of nan iterations", Metric::kNanSteps},
                                                            {"time", Metric::kStepTime},
                                                            {"elapsed time per iteration (ms)", Metric::kStepTime},
                                                            {"seconds", Metric::kStepTime},
                                                            {"batch_cost", Metric::kStepTime},
                                                            {"data_time", Metric::kDataTime},
                                                            {"reader_cost", Metric::kDataTime},
                                                            {"tps", Metric::kThroughput},
                                                            {"examples/sec", Metric::kThroughput},
                                                            {"global_step/sec", Metric::kThroughput},
                                                            {"Tokens/s/device", Metric::kThroughput},
                                                            {"GPU_mem", Metric::kMemory},
                                                            {"acc", Metric::kAccuracy},
                                                            {"val/mAP50-95", Metric::kEvalAccuracy},
                                                            {"test_acc", Metric::kEvalAccuracy},
                                                            {"acc_val", Metric::kEvalAccuracy},
                                                            {"valid_0's auc", Metric::kEvalAccuracy},
                                                            {"ppl", Metric::kPerplexity},
                                                            {"lm loss PPL", Metric::kPerplexity}};
  for (const auto& [name, metric] : kKnown) EXPECT_EQ(MetricOfName(name), metric) << name;
}

TEST(MetricNames, LeavesLookAlikesAlone) {
  for (const std::string_view name :
       {"loss_ms", "train_time", "epoch_time", "skipped_so_far", "box_loss_weight", "lossless", "val_lr", "", "'s_"}) {
    EXPECT_EQ(MetricOfName(name), Metric::kOther) << name;
  }
  EXPECT_EQ(MetricOfName(std::string(1 << 20, 'a')), Metric::kOther);
}

TEST(MetricNames, TellsEvaluation) {
  EXPECT_TRUE(NameIsEvaluation("val/loss"));
  EXPECT_TRUE(NameIsEvaluation("acc_test"));
  EXPECT_TRUE(NameIsEvaluation("lm loss value"));
  EXPECT_FALSE(NameIsEvaluation("train/loss"));
  EXPECT_FALSE(NameIsEvaluation("value"));
}

}  // namespace
}  // namespace assay
