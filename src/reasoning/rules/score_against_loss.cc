// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/evaluations.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"

// A score beside the loss of the same samples. A classifier that errs gives the true class at most one half, which costs ln 2 at
// least: the mean of the cross entropy bounds the share of errors from above.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"score-against-loss", "chance-metric"};

constexpr double kMargin = 0.1;  // of the accuracy: weights and smoothing shift the bound a little
constexpr std::size_t kEnough = 3;

// The mean cross entropy of one label per sample in natural units, by the name of the loss in the config; nothing that scales it.
const ConfigValue* PlainCrossEntropy(const FactView& facts) {
  constexpr std::array<std::string_view, 6> kNames{"loss", "criterion", "loss_fn", "loss_function", "loss_type", "loss_name"};
  const ConfigValue* loss = facts.FirstConfig(kNames);
  if (loss == nullptr) return nullptr;
  const std::string value = ToLower(loss->value);
  const bool entropy = (value.find("cross") != std::string::npos && value.find("entropy") != std::string::npos) ||
                       value == "ce" || value == "nll" || value == "nll_loss";
  if (!entropy || value.find("binary") != std::string::npos || value.find("focal") != std::string::npos) return nullptr;
  constexpr std::array<std::string_view, 8> kScales{"class_weight", "class_weights", "loss_weight", "weights",
                                                    "mixup",        "mixup_alpha",   "cutmix",      "label_smoothing"};
  for (const std::string_view name : kScales) {
    const std::vector<const ConfigValue*> values = facts.Config(name);
    if (!values.empty() && !SaysNo(values.front()->value)) return nullptr;
  }
  return loss;
}

std::optional<double> ClassCount(const FactView& facts, Citation& cite) {
  constexpr std::array<std::string_view, 6> kNames{"num_classes", "classes", "n_classes", "nc", "num_labels", "n_labels"};
  const ConfigValue* value = facts.FirstConfig(kNames);
  const auto count = value == nullptr ? std::nullopt : ParseNumber(Trim(value->value));
  if (!count || *count < 2 || *count > 1e5 || *count != std::floor(*count)) return std::nullopt;
  cite = value->cite;
  return count;
}

// The loss of the same set in the same rows.
std::optional<std::size_t> LossBeside(const Score& score) {
  return score.table->Find(score.evaluation ? Metric::kEvalLoss : Metric::kLoss);
}

void LookAtBound(const Score& score, Scale scale, const ConfigValue& loss_name, Findings& out) {
  const auto loss = LossBeside(score);
  if (!loss || scale == Scale::kUnknown) return;
  std::vector<Citation> cites;
  std::size_t worst = 0;
  double gap = 0;
  for (const SeriesPoint& p : score.series) {
    const auto value = score.table->At(p.row, *loss);
    if (!value || !std::isfinite(*value) || !std::isfinite(p.value) || *value < 0) continue;
    const double accuracy = p.value / (scale == Scale::kPercent ? 100 : 1);
    const double least = 1 - *value / std::numbers::ln2;
    if (accuracy < 0 || least - accuracy < kMargin) continue;
    cites.push_back(score.table->Cite(p.row));
    if (least - accuracy > gap) {
      gap = least - accuracy;
      worst = p.row;
    }
  }
  if (cites.size() < kEnough) return;
  const double value = *score.table->At(worst, *loss);
  cites.push_back(loss_name.cite);
  Finding& finding = out.Add("score-against-loss", "score-against-loss",
                             fmt::format("A mean cross entropy of {} at {} leaves at most {:.0f} % of errors, while {} is {}.",
                                         FormatNumber(value), PlaceOf(*score.table, worst), 100 * value / std::numbers::ln2,
                                         score.name, FormatNumber(*score.table->At(worst, score.column))),
                             std::move(cites));
  if (const MetricRow& row = score.table->row(worst); row.step != kNoStep) finding.step = row.step;
}

double Fall(const std::vector<double>& loss) {
  if (loss.size() < 3 || loss.front() <= 0) return 0;
  return 1 - *std::min_element(loss.begin(), loss.end()) / loss.front();
}

void LookAtChance(const FactView& facts, const Score& score, Scale scale, double classes, const Citation& class_cite,
                  const SetSize& size, Findings& out) {
  if (!score.evaluation || scale == Scale::kUnknown || score.series.size() < 5) return;
  const double unit = scale == Scale::kPercent ? 100 : 1;
  std::vector<double> accuracy = FiniteValues(score.series);
  for (double& a : accuracy) a /= unit;
  const double chance = 1 / classes;
  const double error = std::sqrt(chance * (1 - chance) / size.count);
  const double median = Median(accuracy);
  const auto [least, most] = std::minmax_element(accuracy.begin(), accuracy.end());
  if (std::abs(median - chance) > 2 * error || *most - chance > 5 * error || chance - *least > 5 * error) return;
  const auto loss = LossBeside(score);
  const std::vector<double> fallen =
      loss ? FiniteValues(Series(*score.table, *loss)) : FiniteValues(TrainingLoss(facts, nullptr));
  if (Fall(fallen) < 0.2) return;
  out.Add("score-against-loss", "chance-metric",
          fmt::format(
              "{} stays at {:.4f} (median of {} evaluations), which is chance for {} classes, while the loss falls by {:.0f} %.",
              score.name, median, accuracy.size(), FormatNumber(classes), 100 * Fall(fallen)),
          {score.table->Cite(score.series.front().row), score.table->Cite(score.series.back().row), class_cite, size.cite});
}

bool IsAccuracy(std::string_view name) {
  const std::string lower = ToLower(name);
  return lower.find("acc") != std::string::npos && lower.find("balanced") == std::string::npos &&
         lower.find("top5") == std::string::npos && lower.find("@5") == std::string::npos;
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<Score> scores = ScoresOf(facts);
  const ConfigValue* entropy = PlainCrossEntropy(facts);
  Citation class_cite;
  const std::optional<double> classes = ClassCount(facts, class_cite);
  const std::optional<SetSize> size = EvaluationSetSize(facts);
  if (entropy == nullptr) out.NotChecked("score-against-loss", "nothing says that the loss is a plain cross entropy");
  if (!classes || !size) out.NotChecked("chance-metric", "the number of classes or the size of the evaluation set is not known");
  for (const Score& score : scores) {
    if (score.kind != Score::Kind::kRatio || !IsAccuracy(score.name)) continue;
    const Scale scale = ScaleOf(score, scores);
    if (entropy != nullptr) LookAtBound(score, scale, *entropy, out);
    if (classes && size) LookAtChance(facts, score, scale, *classes, class_cite, *size, out);
  }
}

}  // namespace

extern const Rule score_against_loss;
constinit const Rule score_against_loss{
    .id = "score-against-loss",
    .title = "Accuracies beside the loss of the same samples",
    .looks_at = "accuracies and losses of one row, the loss's name and the number of classes",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
