// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/evaluations.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"

// Values that no metric of that name can have, and series that do not move while the training does. A score that is merely low is
// none of these.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 6> kYields{"impossible-value", "nan-metric",  "constant-metric",
                                                  "metric-jump",      "round-value", "too-good"};

constexpr double kTolerance = 1e-6;

// -1 and its like stand for "not yet" or "no object of this kind".
bool IsPlaceholder(double value) { return value <= -1 && value == std::floor(value); }

std::optional<std::size_t> FirstImpossible(const Score& score, Scale scale) {
  for (const SeriesPoint& p : score.series) {
    const double v = p.value;
    if (!std::isfinite(v) || IsPlaceholder(v)) continue;
    switch (score.kind) {
      case Score::Kind::kRatio:
        if (score.name.find("dice") == std::string::npos && v < -kTolerance) return p.row;
        if (scale == Scale::kUnit && v > 1 + kTolerance) return p.row;
        // 100.00 may be 99.999 rounded by hand; whole numbers above it are counts.
        if (scale == Scale::kPercent && v > 100.001 && v < 120 && v != std::floor(v)) return p.row;
        break;
      case Score::Kind::kPerplexity: {
        // Some writers print the logarithm under this name: then it stands beside an equal loss.
        bool logarithm = false;
        for (std::size_t c = 0; c < score.table->columns().size(); ++c) {
          const auto other = c == score.column ? std::nullopt : score.table->At(p.row, c);
          logarithm = logarithm || (other && std::abs(*other - v) < 0.02 * std::abs(v));
        }
        if (v > kTolerance && v < 1 - 0.005 && !logarithm) return p.row;
        break;
      }
      case Score::Kind::kBleu:
        if (v < -kTolerance || v > 100 + kTolerance) return p.row;
        break;
      case Score::Kind::kDetermination:
        if (v > 1 + kTolerance) return p.row;
        break;
    }
  }
  return std::nullopt;
}

std::string_view Bounds(const Score& score, Scale scale) {
  switch (score.kind) {
    case Score::Kind::kRatio: return scale == Scale::kPercent ? "between 0 and 100" : "between 0 and 1";
    case Score::Kind::kPerplexity: return "at least 1";
    case Score::Kind::kBleu: return "between 0 and 100";
    case Score::Kind::kDetermination: return "at most 1";
  }
  return "";
}

// The evaluations whose value is NaN after one that was not, or all of at least two.
void LookAtNan(const Score& score, const Series& loss, Findings& out) {
  const bool loss_finite = std::all_of(loss.begin(), loss.end(), [](const SeriesPoint& p) { return std::isfinite(p.value); });
  if (!loss_finite || score.kind != Score::Kind::kRatio) return;
  std::size_t bad = 0;
  std::size_t first_after = 0;
  bool finite_before = false;
  for (const SeriesPoint& p : score.series) {
    if (std::isfinite(p.value)) {
      finite_before = true;
      bad = 0;
    } else {
      if (bad++ == 0) first_after = p.row;
    }
  }
  // Beside a loss that is not known only a score that never had a value says something.
  if (bad == 0 || (!finite_before && bad < (loss.empty() ? 5 : 2)) || (finite_before && loss.empty())) return;
  AddAt(out, "metric-values", *score.table, first_after, "nan-metric",
        fmt::format("{} is NaN {}{}, first at {}.", score.name,
                    bad == score.series.size() ? "in each of its values" : "from there to the end",
                    loss.empty() ? "" : " while the loss is finite", PlaceOf(*score.table, first_after)));
}

bool LossFalls(const Series& loss, double share) {
  if (loss.size() < 4) return false;
  const std::vector<double> values = FiniteValues(loss);
  if (values.size() < 4) return false;
  const std::size_t part = std::max<std::size_t>(values.size() / 5, 1);
  const double first = Median({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(part)});
  const double last = Median({values.end() - static_cast<std::ptrdiff_t>(part), values.end()});
  return first > 0 && last < (1 - share) * first;
}

// What the training loss did from this place on. Of another artifact than the score only the whole series can be asked.
Series LossSince(const MetricTable* table, const Series& loss, const Score& score, std::size_t row) {
  if (table == nullptr) return {};
  if (table->source != score.table->source) return row == score.series.front().row ? loss : Series{};
  return loss.From(RowsBefore(*table, score.table->row(row).offset));
}

void LookAtConstant(const Score& score, Scale scale, const MetricTable* loss_table, const Series& loss, Findings& out) {
  if (!score.evaluation || score.kind != Score::Kind::kRatio || score.series.size() < 5) return;
  const double value = score.series.back().value;
  if (!std::isfinite(value)) return;
  std::size_t equal = 0;
  while (equal < score.series.size() && score.series[score.series.size() - 1 - equal].value == value) ++equal;
  const double best = scale == Scale::kPercent ? 100 : 1;
  const int digits = Decimals(value) - (scale == Scale::kPercent ? 2 : 0);
  if (equal < 5 || value >= best || value == 0 || digits < 4) return;
  const std::size_t first = score.series[score.series.size() - equal].row;
  if (!LossFalls(LossSince(loss_table, loss, score, first), 0.2)) return;
  AddAt(out, "metric-values", *score.table, first, "constant-metric",
        fmt::format("{} is {} in each of its last {} evaluations, while the training loss falls by a fifth and more.", score.name,
                    FormatNumber(value), equal));
}

// A precision of detections that is exactly 0 after each evaluation while the losses have long come down: nothing that the model
// finds is counted as found. Scores of whole answers may well stay at 0 for long, and are left alone.
void LookAtZero(const Score& score, const MetricTable* loss_table, const Series& loss, Findings& out) {
  constexpr std::size_t kEvaluations = 5;
  constexpr double kFallen = 0.6;
  const std::string lower = ToLower(score.name);
  const bool detection = lower.find("map") != std::string::npos || lower.find("ap50") != std::string::npos;
  if (!detection || score.kind != Score::Kind::kRatio || score.series.size() < kEvaluations) return;
  if (!std::all_of(score.series.begin(), score.series.end(), [](const SeriesPoint& p) { return p.value == 0; })) return;
  if (loss_table == nullptr || !LossFalls(loss, kFallen)) return;
  AddAt(out, "metric-values", *score.table, score.series.front().row, "constant-metric",
        fmt::format("{} is exactly 0 in all {} evaluations, while the training loss falls by more than {:.0f} %.", score.name,
                    score.series.size(), kFallen * 100));
}

void LookAtJumps(const Score& score, Findings& out) {
  if (!score.evaluation || score.kind != Score::Kind::kRatio || score.series.size() < 8) return;
  std::vector<double> steps;
  for (std::size_t i = 1; i < score.series.size(); ++i)
    steps.push_back(std::abs(score.series[i].value - score.series[i - 1].value));
  if (!std::all_of(steps.begin(), steps.end(), [](double s) { return std::isfinite(s); })) return;
  const double usual = Median(steps);
  const double range = std::abs(score.series.back().value) + 1e-12;
  for (std::size_t i = score.series.size() / 2; i < steps.size(); ++i) {
    if (usual <= 0 || steps[i] <= 10 * usual || steps[i] < 0.1 * range) continue;
    AddAt(out, "metric-values", *score.table, score.series[i + 1].row, "metric-jump",
          fmt::format("{} changes by {:.3g} at {}, more than ten times its usual change of {:.3g}.", score.name, steps[i],
                      PlaceOf(*score.table, score.series[i + 1].row), usual));
    return;
  }
}

void LookAtRoundness(const Score& score, Scale scale, std::optional<SetSize> size, Findings& out) {
  if (!score.evaluation || score.kind != Score::Kind::kRatio || !size || size->count < 200 || scale == Scale::kUnknown) return;
  const double unit = scale == Scale::kPercent ? 100 : 1;
  for (const SeriesPoint& p : score.series) {
    if (!std::isfinite(p.value)) return;
    bool round = false;
    for (int k = 1; k <= 20 && !round; ++k) {
      const double times = p.value / unit * k;
      round = std::abs(times - std::round(times)) < 1e-9;
    }
    if (!round) return;
  }
  if (score.series.size() < 3) return;
  AddAt(out, "metric-values", *score.table, score.series.front().row, "round-value",
        fmt::format("All {} values of {} are simple fractions although {} samples are to be scored.", score.series.size(),
                    score.name, FormatNumber(size->count)));
}

void LookAtTooGood(const Score& score, Scale scale, const std::vector<Score>& all, Findings& out) {
  if (!score.evaluation || score.kind != Score::Kind::kRatio || scale == Scale::kUnknown || score.series.empty()) return;
  const double unit = scale == Scale::kPercent ? 100 : 1;
  const double first = score.series.front().value / unit;
  if (score.series.size() >= 2 && first >= 0.99 && first <= 1) {
    AddAt(out, "metric-values", *score.table, score.series.front().row, "too-good",
          fmt::format("{} is {} at its first evaluation.", score.name, FormatNumber(score.series.front().value)));
    return;
  }
  for (const Score& training : all) {
    if (training.evaluation || training.table != score.table || training.kind != Score::Kind::kRatio ||
        training.series.size() != score.series.size())
      continue;
    if (score.series.size() < 5) continue;
    const bool throughout =
        std::equal(score.series.begin(), score.series.end(), training.series.begin(),
                   [&](const SeriesPoint& e, const SeriesPoint& t) { return e.value > t.value + 0.05 * unit; });
    if (!throughout) continue;
    AddAt(out, "metric-values", *score.table, score.series.back().row, "too-good",
          fmt::format("{} lies more than five points above {} in all {} evaluations.", score.name, training.name,
                      score.series.size()));
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<Score> scores = ScoresOf(facts);
  if (scores.empty()) {
    for (const std::string_view id : kYields) out.NotChecked(id, "the run logged no score that assay knows");
    return;
  }
  const MetricTable* loss_table = nullptr;
  const Series loss = TrainingLoss(facts, &loss_table);
  const std::optional<SetSize> size = EvaluationSetSize(facts);
  for (const Score& score : scores) {
    const Scale scale = score.kind == Score::Kind::kRatio ? ScaleOf(score, scores) : Scale::kUnknown;
    if (const auto row = FirstImpossible(score, scale)) {
      AddAt(out, "metric-values", *score.table, *row, "impossible-value",
            fmt::format("{} is {} at {}, and can only lie {}.", score.name, FormatNumber(*score.table->At(*row, score.column)),
                        PlaceOf(*score.table, *row), Bounds(score, scale)));
    }
    LookAtNan(score, loss, out);
    LookAtConstant(score, scale, loss_table, loss, out);
    LookAtZero(score, loss_table, loss, out);
    LookAtJumps(score, out);
    LookAtRoundness(score, scale, size, out);
    LookAtTooGood(score, scale, scores, out);
  }
}

}  // namespace

extern const Rule metric_values;
constinit const Rule metric_values{
    .id = "metric-values",
    .title = "Values that a metric cannot have, and metrics that do not move",
    .looks_at = "scores of every log and metric file",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
