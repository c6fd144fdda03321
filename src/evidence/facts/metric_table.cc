// SPDX-License-Identifier: Apache-2.0
#include "evidence/facts/metric_table.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/text.h"

namespace assay {
namespace {

// A NaN that no arithmetic makes: quiet, with a payload of its own.
constexpr std::uint64_t kBlankBits = 0x7FF8B1A4B1A4B1A4;

struct Named {
  std::string_view name;
  Metric metric;
};
// Whole names, lower case, after prefixes of the kind "train/" were taken off and separators became '_'.
constexpr std::array kNames{
    Named{"loss", Metric::kLoss}, Named{"lm_loss", Metric::kLoss}, Named{"total_loss", Metric::kLoss},
    Named{"step_loss", Metric::kLoss}, Named{"loss_step", Metric::kLoss}, Named{"loss_epoch", Metric::kLoss},
    Named{"avg_loss", Metric::kLoss}, Named{"mean_loss", Metric::kLoss}, Named{"running_loss", Metric::kLoss},
    Named{"trl", Metric::kLoss}, Named{"nll_loss", Metric::kLoss}, Named{"main_loss", Metric::kLoss},
    Named{"training_loss", Metric::kLoss}, Named{"batch_loss", Metric::kLoss}, Named{"avg_training_loss", Metric::kLoss},
    Named{"l_out", Metric::kLoss}, Named{"loss_total", Metric::kLoss}, Named{"final_loss", Metric::kLoss},
    Named{"tel", Metric::kEvalLoss},
    Named{"grad_norm", Metric::kGradNorm}, Named{"gradnorm", Metric::kGradNorm}, Named{"gnorm", Metric::kGradNorm},
    Named{"gradient_norm", Metric::kGradNorm}, Named{"total_norm", Metric::kGradNorm}, Named{"norm", Metric::kGradNorm},
    Named{"global_grad_norm", Metric::kGradNorm}, Named{"grad_norm_avg", Metric::kGradNorm}, Named{"gn", Metric::kGradNorm},
    Named{"learning_rate", Metric::kLearningRate}, Named{"lr", Metric::kLearningRate}, Named{"lr_pg0", Metric::kLearningRate},
    Named{"base_lr", Metric::kLearningRate}, Named{"cur_lr", Metric::kLearningRate}, Named{"last_lr", Metric::kLearningRate},
    Named{"loss_scale", Metric::kLossScale}, Named{"scale", Metric::kLossScale}, Named{"grad_scale", Metric::kLossScale},
    Named{"number_of_skipped_iterations", Metric::kSkippedSteps}, Named{"skipped", Metric::kSkippedSteps},
    Named{"number_of_nan_iterations", Metric::kNanSteps}, Named{"nan_iterations", Metric::kNanSteps},
    Named{"step_time", Metric::kStepTime}, Named{"iter_time", Metric::kStepTime}, Named{"batch_time", Metric::kStepTime},
    Named{"elapsed_time_per_iteration", Metric::kStepTime}, Named{"seconds_per_step", Metric::kStepTime},
    Named{"time", Metric::kStepTime}, Named{"dt", Metric::kStepTime}, Named{"seconds", Metric::kStepTime},
    Named{"data_time", Metric::kDataTime}, Named{"data", Metric::kDataTime}, Named{"data_wait", Metric::kDataTime},
    Named{"load_time", Metric::kDataTime}, Named{"dataloader_time", Metric::kDataTime}, Named{"data_loading_time", Metric::kDataTime},
    Named{"throughput", Metric::kThroughput}, Named{"tps", Metric::kThroughput}, Named{"samples_per_second", Metric::kThroughput},
    Named{"tokens_per_second", Metric::kThroughput}, Named{"tok_s", Metric::kThroughput}, Named{"it_s", Metric::kThroughput},
    Named{"examples_per_second", Metric::kThroughput}, Named{"examples_sec", Metric::kThroughput}, Named{"ups", Metric::kThroughput},
    Named{"samples_sec", Metric::kThroughput}, Named{"tokens_sec", Metric::kThroughput}, Named{"wps", Metric::kThroughput},
    Named{"steps_per_second", Metric::kThroughput}, Named{"currsamplespersec", Metric::kThroughput}, Named{"img_s", Metric::kThroughput},
    Named{"memory", Metric::kMemory}, Named{"max_mem", Metric::kMemory}, Named{"mem", Metric::kMemory}, Named{"gpu_mem", Metric::kMemory},
    Named{"gpu_util", Metric::kUtilisation}, Named{"gpu_utilization", Metric::kUtilisation},
    Named{"acc", Metric::kAccuracy}, Named{"accuracy", Metric::kAccuracy}, Named{"acc@1", Metric::kAccuracy}, Named{"top1", Metric::kAccuracy},
    Named{"main_accuracy", Metric::kAccuracy}, Named{"f1", Metric::kAccuracy}, Named{"auc", Metric::kAccuracy}, Named{"auroc", Metric::kAccuracy},
    Named{"map", Metric::kAccuracy}, Named{"map50", Metric::kAccuracy}, Named{"iou", Metric::kAccuracy}, Named{"miou", Metric::kAccuracy},
    Named{"precision", Metric::kAccuracy}, Named{"recall", Metric::kAccuracy}, Named{"dice", Metric::kAccuracy}, Named{"r_precision", Metric::kAccuracy},
    Named{"train_acc", Metric::kAccuracy}, Named{"categorical_accuracy", Metric::kAccuracy}, Named{"sparse_categorical_accuracy", Metric::kAccuracy},
    Named{"binary_accuracy", Metric::kAccuracy}, Named{"f1_score", Metric::kAccuracy}, Named{"balanced_accuracy", Metric::kAccuracy},
    Named{"perplexity", Metric::kPerplexity}, Named{"ppl", Metric::kPerplexity}, Named{"lm_loss_ppl", Metric::kPerplexity},
};

constexpr std::array<std::string_view, 5> kEvaluationPrefixes{"eval_", "val_", "valid_", "validation_", "test_"};
constexpr std::array<std::string_view, 3> kTrainingPrefixes{"train_", "training_", "tr_"};

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

}  // namespace

double MetricTable::Blank() { return std::bit_cast<double>(kBlankBits); }
bool MetricTable::IsBlank(double value) { return std::bit_cast<std::uint64_t>(value) == kBlankBits; }

std::size_t MetricTable::Column(std::string_view name) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  columns_.push_back({.name = std::string(name), .metric = MetricOfName(name)});
  values_.emplace_back();
  return columns_.size() - 1;
}

void MetricTable::AddRow(const MetricRow& row) { rows_.push_back(row); }

void MetricTable::Set(std::size_t column, double value) {
  std::deque<double>& values = values_[column];
  while (values.size() + 1 < rows_.size()) values.push_back(Blank());
  if (values.size() == rows_.size()) {
    values.back() = value;
  } else {
    values.push_back(value);
  }
}

std::optional<std::size_t> MetricTable::Find(Metric metric) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].metric == metric) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> MetricTable::FindName(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  return std::nullopt;
}

bool NameIsEvaluation(std::string_view name) {
  const std::string normal = Normalised(name);
  return WithoutPrefix(normal, kEvaluationPrefixes).size() != normal.size() || normal == "tel";
}

Metric MetricOfName(std::string_view name) {
  const std::string normal = Normalised(name);
  const std::string_view bare = WithoutPrefix(normal, kEvaluationPrefixes);
  const bool evaluation = bare.size() != normal.size();
  std::string_view base = WithoutPrefix(bare, kTrainingPrefixes);
  if (base.starts_with("metrics_")) base.remove_prefix(8);
  for (const Named& known : kNames) {
    if (known.name != base) continue;
    if (!evaluation) return known.metric;
    if (known.metric == Metric::kLoss) return Metric::kEvalLoss;
    if (known.metric == Metric::kAccuracy) return Metric::kEvalAccuracy;
    return known.metric == Metric::kPerplexity ? known.metric : Metric::kOther;
  }
  return Metric::kOther;
}

}  // namespace assay
