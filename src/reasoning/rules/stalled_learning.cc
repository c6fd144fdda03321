// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 4> kYields{"loss-exact-zero", "grad-zero", "chance-loss", "loss-rises"};

Finding& Add(Findings& out, const MetricTable& table, std::size_t row, std::string_view id, std::string statement) {
  return AddAt(out, "stalled-learning", table, row, id, std::move(statement));
}

std::size_t Zeros(const Series& series) {
  return static_cast<std::size_t>(std::count_if(series.begin(), series.end(), [](const SeriesPoint& p) { return p.value == 0; }));
}

// The smallest value above 0, or 0.
double LeastPositive(const Series& series) {
  double least = 0;
  for (const SeriesPoint& p : series) {
    if (p.value > 0 && (least == 0 || p.value < least)) least = p.value;
  }
  return least;
}

double MedianOf(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  return Median(std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                    values.begin() + static_cast<std::ptrdiff_t>(end)));
}

// The loss went down by more than its noise between the first and the last third.
bool Falls(const std::vector<double>& loss) {
  if (loss.size() < 6) return false;
  const std::size_t third = loss.size() / 3;
  return MedianOf(loss, loss.size() - third, loss.size()) < 0.98 * MedianOf(loss, 0, third);
}

void LookForZeroLoss(const MetricTable& table, const Series& loss, const Series& norm, Findings& out) {
  const std::size_t zeros = Zeros(loss);
  const bool norm_finite = std::all_of(norm.begin(), norm.end(), [](const SeriesPoint& p) { return std::isfinite(p.value); });
  if (zeros < 5 || 2 * zeros < loss.size() || !norm_finite || loss.back().value != 0) return;
  // A loss that came down to what few digits print as 0 passed through small values first.
  const double least = LeastPositive(loss);
  if (least > 0 && least < 0.05) return;
  const auto first = std::find_if(loss.begin(), loss.end(), [](const SeriesPoint& p) { return p.value == 0; });
  Finding& finding =
      Add(out, table, first->row, "loss-exact-zero",
          fmt::format("The loss is exactly 0 in {} of {} values, from {} on.", zeros, loss.size(), PlaceOf(table, first->row)));
  finding.cites.push_back(table.Cite(loss.back().row));
}

void LookForZeroNorm(const FactView& facts, const MetricTable& table, const Series& loss, const Series& norm, Findings& out) {
  const std::size_t zeros = Zeros(norm);
  if (zeros < 5 || 2 * zeros < norm.size() || norm.back().value != 0) return;
  const double least = LeastPositive(norm);
  const bool enough_digits = PrintsAllDigits(table, facts) || (least > 0 && least < 1e-3);
  // Where the loss falls the norm is one that this mode does not compute.
  if (!enough_digits || loss.size() < 5 || Falls(FiniteValues(loss))) return;
  const auto first = std::find_if(norm.begin(), norm.end(), [](const SeriesPoint& p) { return p.value == 0; });
  Finding& finding = Add(out, table, first->row, "grad-zero",
                         fmt::format("The gradient norm is exactly 0 in {} of {} values, from {} on.", zeros, norm.size(),
                                     PlaceOf(table, first->row)));
  finding.cites.push_back(table.Cite(norm.back().row));
}

std::set<int> ConfiguredClasses(const FactView& facts) {
  std::set<int> classes;
  for (const std::string_view name :
       {"num_classes", "num_labels", "n_classes", "nclasses", "classes", "vocab_size", "num_class"}) {
    for (const ConfigValue* value : facts.Config(name)) {
      const auto number = ParseInteger(Trim(value->value));
      if (number && *number >= 2 && *number <= 1000000) classes.insert(static_cast<int>(*number));
    }
  }
  return classes;
}

// An accuracy of this log that says one in C: within a tenth of 1/C in most values.
bool AccuracyIsChance(const FactView& facts, const MetricTable& table, int count) {
  for (const MetricTable& other : facts.tables()) {
    if (other.source != table.source) continue;
    for (std::size_t c = 0; c < other.columns().size(); ++c) {
      const Metric metric = other.columns()[c].metric;
      if (metric != Metric::kAccuracy && metric != Metric::kEvalAccuracy) continue;
      const std::vector<double> values = FiniteValues(Series(other, c));
      const double chance = 1.0 / count;
      const auto near = [&](double v) {
        return std::abs(v - chance) < 0.1 * chance || std::abs(v / 100 - chance) < 0.1 * chance;
      };
      const auto hits = std::count_if(values.begin(), values.end(), near);
      if (values.size() >= 5 && 5 * static_cast<std::size_t>(hits) >= 4 * values.size()) return true;
    }
  }
  return false;
}

void LookForChance(const FactView& facts, const MetricTable& table, const Series& loss, Findings& out) {
  constexpr std::size_t kRows = 10;
  constexpr std::array<int, 9> kUsual{3, 4, 5, 6, 7, 8, 10, 100, 1000};
  const std::vector<double> values = FiniteValues(loss);
  if (values.size() < kRows || values.size() != loss.size()) return;
  // The whole second half, and at least a fifth of the run: models that learn leave chance fast.
  const std::size_t half = values.size() / 2;
  const double middle = MedianOf(values, half, values.size());
  if (middle <= 0) return;
  const double log_count = std::exp(middle);
  if (log_count > 2e6) return;
  const int count = static_cast<int>(std::round(log_count));
  if (count < 2) return;
  const double chance = std::log(static_cast<double>(count));
  const auto within = [&](double share) {
    return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(half), values.end(),
                       [&](double v) { return std::abs(v - chance) <= share * chance; });
  };
  const std::set<int> configured = ConfiguredClasses(facts);
  const bool told = configured.contains(count) || AccuracyIsChance(facts, table, count);
  const bool usual = std::find(kUsual.begin(), kUsual.end(), count) != kUsual.end();
  // A loss that came down to this value from far above has learned something, and other numbers of classes are known: then the
  // logarithm is met by accident.
  constexpr double kUntrained = 1.2;
  const bool came_down = MedianOf(values, 0, std::max<std::size_t>(values.size() / 20, 1)) > kUntrained * chance;
  if (!told && (came_down || !configured.empty())) return;
  // Without another sign of the number of classes the value itself must be exact.
  if (!(told && within(5e-3)) && !(usual && within(1e-3))) return;
  const std::size_t first = loss[half].row;
  Finding& finding =
      Add(out, table, first, "chance-loss",
          fmt::format("The loss stays at {}, the logarithm of {}, for the last {} of {} values: no better than chance.",
                      FormatNumber(middle), count, values.size() - half, values.size()));
  finding.cites.push_back(table.Cite(loss.back().row));
}

// One value per epoch: the last of each where the writer logs several.
std::vector<SeriesPoint> PerEpoch(const MetricTable& table, const Series& loss) {
  std::vector<SeriesPoint> epochs;
  for (const SeriesPoint& p : loss) {
    const double epoch = std::floor(table.row(p.row).epoch);
    if (std::isnan(epoch)) return {};
    if (!epochs.empty() && std::floor(table.row(epochs.back().row).epoch) == epoch) {
      epochs.back() = p;
    } else {
      epochs.push_back(p);
    }
  }
  return epochs;
}

void LookForRise(const MetricTable& table, const Series& loss, Findings& out) {
  constexpr std::size_t kEpochs = 5;
  const std::vector<SeriesPoint> epochs = PerEpoch(table, loss);
  if (epochs.size() < kEpochs) return;
  const auto least = std::min_element(epochs.begin(), epochs.end(),
                                      [](const SeriesPoint& a, const SeriesPoint& b) { return a.value < b.value; });
  const std::size_t at = static_cast<std::size_t>(least - epochs.begin());
  const SeriesPoint& last = epochs.back();
  if (least->value <= 0 || !std::isfinite(last.value) || at > epochs.size() / 3 || last.value < 1.5 * least->value) return;
  std::size_t rises = 0;
  for (std::size_t i = at + 1; i < epochs.size(); ++i) rises += epochs[i].value > epochs[i - 1].value ? 1U : 0U;
  const std::size_t steps = epochs.size() - 1 - at;
  if (steps < kEpochs - 1 || 5 * rises < 4 * steps) return;
  Finding& finding =
      Add(out, table, last.row, "loss-rises",
          fmt::format("The training loss rises from {} at {} to {} at {}, in {} of {} epochs.", FormatNumber(least->value),
                      PlaceOf(table, least->row), FormatNumber(last.value), PlaceOf(table, last.row), rises, steps));
  finding.cites.push_back(table.Cite(least->row));
}

void Evaluate(const FactView& facts, Findings& out) {
  // Losses of policies and adversaries stay at 0 or at ln 2, or rise, in healthy runs.
  if (LooksLikeReinforcementOrAdversary(facts)) return;
  for (const MetricTable& table : facts.tables()) {
    const Series loss = SeriesOf(table, Metric::kLoss);
    const Series norm = SeriesOf(table, Metric::kGradNorm);
    if (!loss.empty()) LookForZeroLoss(table, loss, norm, out);
    if (!norm.empty()) LookForZeroNorm(facts, table, loss, norm, out);
    if (!loss.empty()) LookForChance(facts, table, loss, out);
    if (!loss.empty()) LookForRise(table, loss, out);
  }
}

}  // namespace

extern const Rule stalled_learning;
constinit const Rule stalled_learning{
    .id = "stalled-learning",
    .title = "A loss that is 0, at chance or rising, and gradients that are 0",
    .looks_at = "loss, gradient norm and accuracy of every log and metric file, and the configured number of classes",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
