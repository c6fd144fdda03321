// SPDX-License-Identifier: Apache-2.0
#include "evidence/facts/metric_names.h"

#include <array>
#include <span>
#include <string>

#include "base/text.h"

namespace assay {
namespace {

struct Named {
  std::string_view name;
  Metric metric;
};
// Whole names, lower case, after prefixes of the kind "train/" were taken off and separators became '_'.
constexpr std::array kNames{
    Named{"loss", Metric::kLoss},
    Named{"lm_loss", Metric::kLoss},
    Named{"total_loss", Metric::kLoss},
    Named{"step_loss", Metric::kLoss},
    Named{"loss_step", Metric::kLoss},
    Named{"loss_epoch", Metric::kLoss},
    Named{"avg_loss", Metric::kLoss},
    Named{"mean_loss", Metric::kLoss},
    Named{"running_loss", Metric::kLoss},
    Named{"trl", Metric::kLoss},
    Named{"nll_loss", Metric::kLoss},
    Named{"main_loss", Metric::kLoss},
    Named{"training_loss", Metric::kLoss},
    Named{"batch_loss", Metric::kLoss},
    Named{"avg_training_loss", Metric::kLoss},
    Named{"l_out", Metric::kLoss},
    Named{"loss_total", Metric::kLoss},
    Named{"final_loss", Metric::kLoss},
    Named{"avg_train_loss", Metric::kLoss},
    Named{"learn", Metric::kLoss},
    Named{"rmse", Metric::kLoss},
    Named{"logloss", Metric::kLoss},
    Named{"mlogloss", Metric::kLoss},
    Named{"binary_logloss", Metric::kLoss},
    Named{"multi_logloss", Metric::kLoss},
    Named{"cross_entropy_loss", Metric::kLoss},
    Named{"ce_loss", Metric::kLoss},
    Named{"tel", Metric::kEvalLoss},
    Named{"lm_loss_value", Metric::kEvalLoss},
    Named{"avg_val_loss", Metric::kEvalLoss},
    Named{"grad_norm", Metric::kGradNorm},
    Named{"gradnorm", Metric::kGradNorm},
    Named{"gnorm", Metric::kGradNorm},
    Named{"gradient_norm", Metric::kGradNorm},
    Named{"total_norm", Metric::kGradNorm},
    Named{"norm", Metric::kGradNorm},
    Named{"total_grad_norm", Metric::kGradNorm},
    Named{"grad_l2_norm", Metric::kGradNorm},
    Named{"grads_norm", Metric::kGradNorm},
    Named{"global_norm", Metric::kGradNorm},
    Named{"global_grad_norm", Metric::kGradNorm},
    Named{"grad_norm_avg", Metric::kGradNorm},
    Named{"gn", Metric::kGradNorm},
    Named{"learning_rate", Metric::kLearningRate},
    Named{"lr", Metric::kLearningRate},
    Named{"lr_pg0", Metric::kLearningRate},
    Named{"base_lr", Metric::kLearningRate},
    Named{"cur_lr", Metric::kLearningRate},
    Named{"last_lr", Metric::kLearningRate},
    Named{"loss_scale", Metric::kLossScale},
    Named{"scale", Metric::kLossScale},
    Named{"grad_scale", Metric::kLossScale},
    Named{"number_of_skipped_iterations", Metric::kSkippedSteps},
    Named{"skipped", Metric::kSkippedSteps},
    Named{"number_of_nan_iterations", Metric::kNanSteps},
    Named{"nan_iterations", Metric::kNanSteps},
    Named{"step_time", Metric::kStepTime},
    Named{"iter_time", Metric::kStepTime},
    Named{"batch_time", Metric::kStepTime},
    Named{"elapsed_time_per_iteration", Metric::kStepTime},
    Named{"seconds_per_step", Metric::kStepTime},
    Named{"time", Metric::kStepTime},
    Named{"dt", Metric::kStepTime},
    Named{"batch_cost", Metric::kStepTime},
    Named{"avg_batch_cost", Metric::kStepTime},
    Named{"step_avg", Metric::kStepTime},
    Named{"time_per_step", Metric::kStepTime},
    Named{"seconds", Metric::kStepTime},
    Named{"data_time", Metric::kDataTime},
    Named{"data", Metric::kDataTime},
    Named{"data_wait", Metric::kDataTime},
    Named{"reader_cost", Metric::kDataTime},
    Named{"avg_reader_cost", Metric::kDataTime},
    Named{"load_time", Metric::kDataTime},
    Named{"dataloader_time", Metric::kDataTime},
    Named{"data_loading_time", Metric::kDataTime},
    Named{"throughput", Metric::kThroughput},
    Named{"tps", Metric::kThroughput},
    Named{"samples_per_second", Metric::kThroughput},
    Named{"tokens_per_second", Metric::kThroughput},
    Named{"tok_s", Metric::kThroughput},
    Named{"it_s", Metric::kThroughput},
    Named{"examples_per_second", Metric::kThroughput},
    Named{"examples_sec", Metric::kThroughput},
    Named{"ups", Metric::kThroughput},
    Named{"samples_sec", Metric::kThroughput},
    Named{"tokens_sec", Metric::kThroughput},
    Named{"wps", Metric::kThroughput},
    Named{"steps_per_second", Metric::kThroughput},
    Named{"currsamplespersec", Metric::kThroughput},
    Named{"img_s", Metric::kThroughput},
    Named{"global_step_sec", Metric::kThroughput},
    Named{"tokens_s_device", Metric::kThroughput},
    Named{"ips", Metric::kThroughput},
    Named{"imgs_s", Metric::kThroughput},
    Named{"samples_s", Metric::kThroughput},
    Named{"tokens_s", Metric::kThroughput},
    Named{"runningavgsamplespersec", Metric::kThroughput},
    Named{"iter_s", Metric::kThroughput},
    Named{"tgs", Metric::kThroughput},
    Named{"memory", Metric::kMemory},
    Named{"memallocated", Metric::kMemory},
    Named{"maxmemallocated", Metric::kMemory},
    Named{"max_mem", Metric::kMemory},
    Named{"mem", Metric::kMemory},
    Named{"gpu_mem", Metric::kMemory},
    Named{"alloc", Metric::kMemory},
    Named{"allocated", Metric::kMemory},
    Named{"mem_alloc", Metric::kMemory},
    Named{"mem_allocated", Metric::kMemory},
    Named{"memory_allocated", Metric::kMemory},
    Named{"max_alloc", Metric::kMemory},
    Named{"max_allocated", Metric::kMemory},
    Named{"max_memory", Metric::kMemory},
    Named{"peak_mem", Metric::kMemory},
    Named{"peak_memory", Metric::kMemory},
    Named{"gpu_memory", Metric::kMemory},
    Named{"cuda_mem", Metric::kMemory},
    Named{"gpu_util", Metric::kUtilisation},
    Named{"gpu_utilization", Metric::kUtilisation},
    Named{"acc", Metric::kAccuracy},
    Named{"accuracy", Metric::kAccuracy},
    Named{"acc@1", Metric::kAccuracy},
    Named{"top1", Metric::kAccuracy},
    Named{"main_accuracy", Metric::kAccuracy},
    Named{"f1", Metric::kAccuracy},
    Named{"auc", Metric::kAccuracy},
    Named{"auroc", Metric::kAccuracy},
    Named{"map", Metric::kAccuracy},
    Named{"map50", Metric::kAccuracy},
    Named{"iou", Metric::kAccuracy},
    Named{"miou", Metric::kAccuracy},
    Named{"precision", Metric::kAccuracy},
    Named{"recall", Metric::kAccuracy},
    Named{"dice", Metric::kAccuracy},
    Named{"r_precision", Metric::kAccuracy},
    Named{"train_acc", Metric::kAccuracy},
    Named{"categorical_accuracy", Metric::kAccuracy},
    Named{"sparse_categorical_accuracy", Metric::kAccuracy},
    Named{"binary_accuracy", Metric::kAccuracy},
    Named{"f1_score", Metric::kAccuracy},
    Named{"balanced_accuracy", Metric::kAccuracy},
    Named{"map50_95", Metric::kAccuracy},
    Named{"map@_5", Metric::kAccuracy},
    Named{"map@_5__95", Metric::kAccuracy},
    Named{"bbox_map", Metric::kAccuracy},
    Named{"coco_bbox_map", Metric::kAccuracy},
    Named{"accuracy_top1", Metric::kAccuracy},
    Named{"accuracy_top_1", Metric::kAccuracy},
    Named{"acc_1", Metric::kAccuracy},
    Named{"top_1", Metric::kAccuracy},
    Named{"perplexity", Metric::kPerplexity},
    Named{"ppl", Metric::kPerplexity},
    Named{"lm_loss_ppl", Metric::kPerplexity},
};

constexpr std::array<std::string_view, 8> kEvaluationPrefixes{"eval_",     "val_",  "valid_",      "validation_",
                                                              "validate_", "test_", "evaluation_", "dev_"};
constexpr std::array<std::string_view, 5> kEvaluationSuffixes{"_eval", "_val", "_valid", "_validation", "_test"};
constexpr std::array<std::string_view, 4> kTrainingPrefixes{"train_", "training_", "training's_", "tr_"};
constexpr std::array<std::string_view, 2> kTrainingSuffixes{"_train", "_training"};
constexpr std::array<std::string_view, 6> kByteUnits{"_gb", "_gib", "_mb", "_mib", "_g", "_m"};
constexpr std::array<std::string_view, 4> kGroups{"metrics_", "optim_", "perf_", "performance_"};

std::string Normalised(std::string_view name) {
  std::string out = ToLower(name);
  for (char& c : out) {
    if (c == '/' || c == ' ' || c == '-' || c == '.' || c == ':') c = '_';
  }
  if (const std::size_t unit = out.find("_("); unit != std::string::npos) out.resize(unit);  // "time (ms)", "mAP50(B)" below
  if (const std::size_t unit = out.find('('); unit != std::string::npos) out.resize(unit);
  return out;
}

std::string_view WithoutPrefix(std::string_view name, std::span<const std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

std::string_view WithoutSuffix(std::string_view name, std::span<const std::string_view> suffixes) {
  for (const std::string_view suffix : suffixes) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

// A normalised name without what says on which set it was measured.
struct Bare {
  std::string_view name;
  bool evaluation;
};
Bare BareName(std::string_view normal) {
  std::string_view name = WithoutPrefix(normal, kEvaluationPrefixes);
  name = WithoutSuffix(name, kEvaluationSuffixes);
  const bool evaluation = name.size() != normal.size();
  // LightGBM numbers its sets: "valid_0's auc".
  if (const std::size_t set = name.find("'s_"); evaluation && set == 1 && IsDigit(name[0])) name.remove_prefix(4);
  name = WithoutPrefix(name, kTrainingPrefixes);
  name = WithoutSuffix(name, kTrainingSuffixes);
  return {WithoutPrefix(name, kGroups), evaluation};
}

}  // namespace

bool NameIsEvaluation(std::string_view name) {
  const std::string normal = Normalised(name);
  return BareName(normal).evaluation || normal == "tel" || normal == "lm_loss_value";
}

Metric MetricOfName(std::string_view name) {
  constexpr std::size_t kLongestName = 64;  // what a hostile log prints is not searched for
  if (name.size() > kLongestName) return Metric::kOther;
  const std::string normal = Normalised(name);
  const auto [base, evaluation] = BareName(normal);
  if (base == "time" && normal != base) return Metric::kOther;  // "train_time" is that of the whole training
  const std::string_view plain = WithoutSuffix(base, kByteUnits);
  for (const Named& known : kNames) {
    if (known.name != base && !(known.metric == Metric::kMemory && known.name == plain)) continue;
    if (!evaluation) return known.metric;
    if (known.metric == Metric::kLoss || known.metric == Metric::kEvalLoss) return Metric::kEvalLoss;
    if (known.metric == Metric::kAccuracy) return Metric::kEvalAccuracy;
    return known.metric == Metric::kPerplexity ? known.metric : Metric::kOther;
  }
  return Metric::kOther;
}

}  // namespace assay
