// SPDX-License-Identifier: Apache-2.0
#include "reasoning/evaluations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"

namespace assay {
namespace {

std::string LastWord(std::string_view name) {
  std::string lower = ToLower(name);
  const std::size_t cut = lower.find_last_of("/.");
  if (cut != std::string::npos) lower = lower.substr(cut + 1);
  for (const std::string_view prefix : {"eval_", "val_", "valid_", "test_", "train_", "dev_"}) {
    if (lower.starts_with(prefix)) lower.erase(0, prefix.size());
  }
  return lower;
}

// Of one class, one size or the best so far; or a loss by another name.
bool IsPartial(std::string_view name) {
  const std::string lower = ToLower(name);
  constexpr std::array<std::string_view, 12> kWords{"best", "class", "per_", "small", "medium", "large",
                                                    "_s",   "_m",    "_l",   "loss",  "bits",   "per-"};
  for (const std::string_view word : kWords) {
    const bool suffix = word.size() == 2 && word[0] == '_';
    if (suffix ? lower.ends_with(word) : lower.find(word) != std::string::npos) return true;
  }
  return false;
}

std::optional<Score::Kind> KindOf(const MetricColumn& column) {
  const std::string word = LastWord(column.name);
  if (word == "bleu" || word == "sacrebleu" || word == "bleu4" || word == "bleu_4") return Score::Kind::kBleu;
  if (word == "r2" || word == "r2_score" || word == "r_squared" || word == "rsquared") return Score::Kind::kDetermination;
  // The soft Dice of segmentation is also trained as a negative loss; bits of precision and rates of a sampler are no scores.
  if (word == "dice" || word == "map" || word == "precision" || word == "acc") {
    return column.metric == Metric::kAccuracy || column.metric == Metric::kEvalAccuracy ? std::optional(Score::Kind::kRatio)
                                                                                        : std::nullopt;
  }
  if (column.metric == Metric::kAccuracy || column.metric == Metric::kEvalAccuracy) return Score::Kind::kRatio;
  if (column.metric == Metric::kPerplexity) return Score::Kind::kPerplexity;
  constexpr std::array<std::string_view, 12> kAverages{
      "macro_f1",        "f1_macro",     "micro_f1", "f1_micro", "weighted_f1", "f1_weighted",
      "macro_precision", "macro_recall", "mean_iou", "mean_acc", "macc",        "aacc"};
  if (std::find(kAverages.begin(), kAverages.end(), word) != kAverages.end()) return Score::Kind::kRatio;
  return std::nullopt;
}

}  // namespace

std::vector<Score> ScoresOf(const FactView& facts) {
  std::vector<Score> scores;
  for (const MetricTable& table : facts.tables()) {
    if (table.row_count() == 0) continue;
    const std::size_t begin = BeginOfLastAttempt(table);
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      const MetricColumn& column = table.columns()[c];
      const auto kind = KindOf(column);
      if (!kind || IsPartial(column.name)) continue;
      Score score{.table = &table, .column = c, .name = Printable(column.name, 60), .kind = *kind};
      score.evaluation = column.metric == Metric::kEvalAccuracy || NameIsEvaluation(column.name);
      score.series = Series(table, c, begin);
      if (!score.series.empty()) scores.push_back(std::move(score));
    }
  }
  return scores;
}

namespace {

// "train_acc 0.97 … val_acc 1.57": the score of the same name in the same table counts from 0 to 1. A percentage of so few points
// beside it would be another thing than the score it is named like.
bool TrainingTwinIsUnit(const Score& score, const std::vector<Score>& all, double most) {
  if (most > 2.5) return false;
  return std::any_of(all.begin(), all.end(), [&](const Score& other) {
    if (&other == &score || other.table != score.table || other.evaluation || other.kind != score.kind ||
        LastWord(other.name) != LastWord(score.name))
      return false;
    const std::vector<double> values = FiniteValues(other.series);
    return values.size() >= 3 && *std::max_element(values.begin(), values.end()) <= 1 && Median(values) > 0.5;
  });
}

}  // namespace

Scale ScaleOf(const Score& score, const std::vector<Score>& all) {
  const auto values_of = [](const Score& s) { return FiniteValues(s.series); };
  const std::vector<double> own = values_of(score);
  if (own.empty()) return Scale::kUnknown;
  const double most = *std::max_element(own.begin(), own.end());
  if (most > 1.5 && !TrainingTwinIsUnit(score, all, most)) return Scale::kPercent;
  bool other_unit = false;
  for (const Score& other : all) {
    if (other.kind != Score::Kind::kRatio) continue;
    const std::vector<double> values = values_of(other);
    if (values.empty()) continue;
    if (Median(values) > 1.5) return Scale::kPercent;
    other_unit = other_unit || (*std::max_element(values.begin(), values.end()) <= 1 && Median(values) > 0.3);
  }
  // "Acc@1 1.000 Acc@5 5.000": neighbours of one line count alike.
  for (std::size_t c = 0; c < score.table->columns().size(); ++c) {
    const std::string word = LastWord(score.table->columns()[c].name);
    constexpr std::array<std::string_view, 6> kTopK{"acc@", "acc1", "acc5", "top1", "top5", "prec@"};
    if (std::none_of(kTopK.begin(), kTopK.end(), [&](std::string_view start) { return word.starts_with(start); })) continue;
    const std::vector<double> values = FiniteValues(Series(*score.table, c));
    if (!values.empty() && Median(values) > 1.5 && Median(values) <= 100) return Scale::kPercent;
  }
  if (most > 1.5) return Scale::kUnit;
  // A ratio that comes to rest just below 1 counts from 0 to 1; a percentage that small would belong to a run that learnt
  // nothing.
  const auto near_one = std::count_if(own.begin(), own.end(), [](double v) { return v > 0.9 && v <= 1; });
  if (most <= 1) return Scale::kUnit;
  return near_one >= 3 && most <= 1.2                 ? Scale::kUnit
         : other_unit && near_one >= 1 && most <= 1.2 ? Scale::kUnit
                                                      : Scale::kUnknown;
}

Series TrainingLoss(const FactView& facts, const MetricTable** table) {
  Series best;
  for (const MetricTable& t : facts.tables()) {
    Series loss = SeriesOf(t, Metric::kLoss);
    if (loss.size() <= best.size()) continue;
    best = std::move(loss);
    if (table != nullptr) *table = &t;
  }
  return best;
}

int Decimals(double value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const std::string_view printed(text.data(), static_cast<std::size_t>(end.ptr - text.data()));
  const std::size_t point = printed.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(printed.size() - point - 1);
}

std::optional<SetSize> EvaluationSetSize(const FactView& facts) {
  std::optional<SetSize> size;
  for (const SignatureHit* hit : facts.Hits("evaluation-set-size")) {
    for (const auto& [name, text] : hit->captures) {
      if (!name.ends_with("_count")) continue;
      const auto number = ParseNumberPrefix(text, true);
      if (!number || number->value < 1) continue;
      if (size && size->count != number->value) return std::nullopt;
      size = SetSize{.count = number->value, .cite = hit->cite};
    }
  }
  return size;
}

}  // namespace assay
