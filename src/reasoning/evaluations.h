// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scores over the evaluations of a run: accuracies, means and perplexities with their scale, and the losses that stand beside
// them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/facts/fact_store.h"
#include "reasoning/series.h"

namespace assay {

struct Score {
  const MetricTable* table = nullptr;
  std::size_t column = 0;
  std::string name;
  bool evaluation = false;  // measured on another set than the training set
  enum class Kind { kRatio, kPerplexity, kBleu, kDetermination } kind = Kind::kRatio;  // kDetermination: R squared
  Series series;                                                                       // of the last attempt
};

// Scores that the run logged, averages over everything only: neither those of one class nor of one size, neither the best so far
// nor losses that bear the name of a score.
std::vector<Score> ScoresOf(const FactView& facts);

enum class Scale { kUnknown, kUnit, kPercent };
// Of a ratio, from its values and those of the run's other ratios.
Scale ScaleOf(const Score& score, const std::vector<Score>& all);

// Losses of the training, in order, of the table that has most of them.
Series TrainingLoss(const FactView& facts, const MetricTable** table);

// A number as printed: how many digits after the point its shortest form needs.
int Decimals(double value);

// The number of samples of the evaluation set, and where it stands; nullopt when the run does not say, or says several.
struct SetSize {
  double count = 0;
  Citation cite;
};
std::optional<SetSize> EvaluationSetSize(const FactView& facts);

}  // namespace assay
