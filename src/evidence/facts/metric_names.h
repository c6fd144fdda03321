// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the names of logged values mean: one table for every dialect and format.

#include <cstdint>
#include <string_view>

namespace assay {

// What a column means, whatever its writer called it.
enum class Metric : std::uint8_t {
  kLoss,
  kEvalLoss,
  kGradNorm,
  kLearningRate,
  kLossScale,
  kSkippedSteps,
  kNanSteps,
  kStepTime,     // seconds per step
  kDataTime,     // seconds per step spent waiting for data
  kThroughput,   // steps, samples or tokens per second; unit as the writer's
  kMemory,       // bytes
  kUtilisation,  // percent
  kAccuracy,     // any score in 0..1 or 0..100: accuracy, F1, AUC, IoU, mAP …
  kEvalAccuracy,
  kPerplexity,
  kOther,
};

// What a column called `name` means. Case, separators and prefixes such as "train/" do not matter.
Metric MetricOfName(std::string_view name);
// The name says that it was measured on another set than the training set ("eval_", "val/", "test_"…).
bool NameIsEvaluation(std::string_view name);

}  // namespace assay
