// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 11> kYields{
    "loss-nonfinite", "loss-hidden-nan",   "gradnorm-nonfinite", "norm-only-nonfinite", "eval-only-nonfinite", "first-bad-step-0",
    "first-bad-late", "loss-spike-before", "gradnorm-growth",    "loss-before-grad",    "grad-before-loss"};
constexpr std::array<std::string_view, 1> kAsks{"fp16-in-use"};

constexpr std::size_t kRecovered = 10;      // finite values after the last bad one: the run went on
constexpr std::size_t kWindow = 25;         // values of a local median
constexpr double kSpikeRatio = 10;          // over the local median
constexpr double kSpikeScore = 6;           // modified z
constexpr std::int64_t kCalibration = 100;  // steps in which a loss scaler may skip

Finding& Add(Findings& out, const MetricTable& table, std::size_t row, std::string_view id, std::string statement) {
  return AddAt(out, "loss-series", table, row, id, std::move(statement));
}

struct FirstBad {
  std::size_t row;  // first non-finite value
  std::size_t count;
  std::size_t finite_after;
  std::size_t finite_before;
};
std::optional<FirstBad> FindBad(const Series& points) {
  std::optional<FirstBad> bad;
  std::size_t finite = 0;
  for (const SeriesPoint& p : points) {
    if (std::isfinite(p.value)) {
      ++finite;
      if (bad) ++bad->finite_after;
    } else if (!bad) {
      bad = FirstBad{.row = p.row, .count = 1, .finite_after = 0, .finite_before = finite};
    } else {
      ++bad->count;
      bad->finite_after = 0;
    }
  }
  return bad;
}

// The step of the run at this row, with the rows themselves as a stand-in where the writer printed no step.
bool IsFirstStep(const MetricTable& table, std::size_t row) {
  const MetricRow& r = table.row(row);
  return r.step != kNoStep ? r.step <= 1 : row == 0;
}

// Beyond the steps in which a loss scaler may skip while it calibrates.
bool PastCalibration(const MetricTable& table, std::size_t row) {
  const MetricRow& r = table.row(row);
  return (r.step != kNoStep ? r.step : static_cast<std::int64_t>(row)) > kCalibration;
}

// The value before this row is finite and belongs to the step before it, so that nothing happened between the two.
bool NextToFinite(const MetricTable& table, const Series& series, std::size_t row) {
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i].row != row) continue;
    const std::int64_t before = table.row(series[i - 1].row).step;
    return std::isfinite(series[i - 1].value) && before != kNoStep && table.row(row).step == before + 1 &&
           !table.step_is_position;
  }
  return false;
}

void PlaceInTraining(Findings& out, const MetricTable& table, const FirstBad& bad, std::string_view what) {
  const MetricRow& r = table.row(bad.row);
  if (bad.finite_before == 0 && IsFirstStep(table, bad.row) && r.step != kNoStep) {
    Add(out, table, bad.row, "first-bad-step-0",
        fmt::format("The {} is non-finite from the first step on ({}).", what, PlaceOf(table, bad.row)));
  } else if (bad.finite_before > 0 && r.step != kNoStep && r.step > 100) {
    Add(out, table, bad.row, "first-bad-late",
        fmt::format("The {} became non-finite at {}, after {} finite values.", what, PlaceOf(table, bad.row), bad.finite_before));
  }
}

void LookBefore(Findings& out, const MetricTable& table, const Series& loss, std::size_t bad_row) {
  // A spike in the fifty values before the break, against the values before each of them.
  constexpr std::size_t kLast = 50;
  const std::vector<SeriesPoint> before = LastFinite(loss.Before(bad_row), kLast + kWindow);
  const std::size_t from = before.size() > kLast ? before.size() - kLast : 0;
  for (std::size_t i = std::max(from, std::size_t{5}); i < before.size(); ++i) {
    std::vector<double> window;
    for (std::size_t j = i > kWindow ? i - kWindow : 0; j < i; ++j) window.push_back(before[j].value);
    const double median = Median(window);
    const double mad = MedianAbsoluteDeviation(window);
    const double z = mad > 0 ? 0.6745 * (before[i].value - median) / mad : 0;
    const bool jump = median > 0 && before[i].value > kSpikeRatio * median;
    // A tight window makes any wobble a large z: the jump must also be visible.
    if (jump || (z > kSpikeScore && window.size() >= 10 && median > 0 && before[i].value > 1.5 * median)) {
      Add(out, table, before[i].row, "loss-spike-before",
          fmt::format("Before it broke, the loss rose to {} at {} (median before: {}).", FormatNumber(before[i].value),
                      PlaceOf(table, before[i].row), FormatNumber(median)));
      return;
    }
  }
}

void LookAtNorm(Findings& out, const MetricTable& table, const Series& norm, std::size_t bad_row) {
  const std::vector<SeriesPoint> before = LastFinite(norm.Before(bad_row), 200);
  if (before.size() < 20) return;
  std::vector<double> last;
  std::vector<double> reference;
  for (std::size_t i = 0; i < before.size(); ++i) (before.size() - i > 10 ? reference : last).push_back(before[i].value);
  if (Median(last) > 10 * Median(reference)) {
    Add(out, table, before.back().row, "gradnorm-growth",
        fmt::format("The gradient norm grew before the break: median of the last ten {}, before that {}.",
                    FormatNumber(Median(last)), FormatNumber(Median(reference))));
  }
}

// Whether the run went on as if nothing had been. A value that is non-finite before any finite one is a placeholder when finite
// ones follow; one that comes back again and again is not survived, where the writer prints NaN only for a NaN.
bool WentOn(const FirstBad& bad, const MetricTable& table, const FactView& facts) {
  const bool printed = facts.source(table.source).format == "text-log";
  if (bad.finite_before == 0) return bad.finite_after >= 3;
  if (printed && bad.count >= 3 && bad.finite_before >= 10 && PastCalibration(table, bad.row)) return false;
  return bad.finite_after >= kRecovered;
}

std::string LossName(const MetricTable& table, std::size_t column) {
  const MetricColumn& c = table.columns()[column];
  return c.metric == Metric::kLoss ? "training loss" : fmt::format("part {} of the training loss", Printable(c.name, 40));
}

void EvaluateLoss(const FactView& facts, const MetricTable& table, std::size_t column, const Series& norm, Findings& out) {
  const Series loss = Series(table, column);
  const auto bad = FindBad(loss);
  if (!bad) return;
  const bool known = out.Has("loss-nonfinite");
  Finding& finding = Add(out, table, bad->row, "loss-nonfinite",
                         fmt::format("The {} is {} at {}{}.", LossName(table, column), FormatNumber(*table.At(bad->row, column)),
                                     PlaceOf(table, bad->row),
                                     bad->count > 1 ? fmt::format(", and non-finite in {} values in all", bad->count) : ""));
  const bool survived = WentOn(*bad, table, facts);
  finding.survived = known ? finding.survived && survived : survived;
  if (survived) return;
  PlaceInTraining(out, table, *bad, "loss");
  LookBefore(out, table, loss, bad->row);
  LookAtNorm(out, table, norm, bad->row);
  // Both series at every step: which came first?
  const auto bad_norm = FindBad(norm);
  if (!norm.empty() && (!bad_norm || bad_norm->row >= bad->row) && NextToFinite(table, norm, bad->row)) {
    Add(out, table, bad->row, "loss-before-grad",
        fmt::format("The loss is non-finite at {} while every gradient norm before it, up to the step before, is finite.",
                    PlaceOf(table, bad->row)));
  }
}

void EvaluateNorm(const MetricTable& table, Findings& out) {
  const auto norm_column = FullestColumn(table, Metric::kGradNorm);
  if (!norm_column) return;
  const Series norm = Series(table, *norm_column);
  const auto bad = FindBad(norm);
  if (!bad) return;
  const auto loss_column = FullestColumn(table, Metric::kLoss);
  const Series loss = loss_column ? Series(table, *loss_column) : Series{};
  const auto bad_loss = FindBad(loss);
  if (bad_loss && bad_loss->row <= bad->row) return;  // it follows from the loss

  std::size_t zero = 0;
  std::size_t finite_later = 0;
  std::size_t late = 0;
  for (const SeriesPoint& p : norm) {
    if (std::isfinite(p.value)) continue;
    if (PastCalibration(table, p.row)) ++late;
    if (loss_column && table.At(p.row, *loss_column) == 0.0) ++zero;
  }
  for (const SeriesPoint& p : loss) {
    if (p.row > bad->row && std::isfinite(p.value) && p.value != 0.0) ++finite_later;
  }
  if (zero > 0) {
    Finding& hidden =
        Add(out, table, bad->row, "loss-hidden-nan",
            fmt::format("The loss is printed as 0.0 beside a non-finite gradient norm ({}): the logger's NaN filter replaced it.",
                        Plural(zero, "row")));
    hidden.survived = bad->finite_after >= kRecovered;
    if (!hidden.survived) PlaceInTraining(out, table, *bad, "hidden loss");
    return;
  }
  Finding& finding = Add(
      out, table, bad->row, "gradnorm-nonfinite",
      fmt::format("The gradient norm is {} at {}{}.", FormatNumber(*table.At(bad->row, *norm_column)), PlaceOf(table, bad->row),
                  bad->count > 1 ? fmt::format(", and non-finite in {} values in all", bad->count) : ""));
  finding.survived = bad->finite_after >= 3;
  // A loss scaler skips such steps now and then, for ever: only what it cannot explain is trouble with the norm alone.
  const bool scaled = out.Has("fp16-in-use") || table.Find(Metric::kLossScale).has_value();
  const double share = norm.empty() ? 0 : static_cast<double>(late) / static_cast<double>(norm.size());
  const bool often = late >= 3 && share > (scaled ? 0.5 : 0.05);
  if (!bad_loss && finite_later >= kRecovered && (often || bad->finite_after == 0)) {
    Add(out, table, bad->row, "norm-only-nonfinite",
        fmt::format("Only the gradient norm is non-finite; the loss stayed finite for {} further values.", finite_later));
    return;
  }
  if (finding.survived) return;
  LookAtNorm(out, table, norm, bad->row);
  if (!bad_loss) PlaceInTraining(out, table, *bad, "gradient norm");
  const bool loss_finite = loss_column && std::isfinite(table.At(bad->row, *loss_column).value_or(NAN));
  const bool calibrates = scaled && !PastCalibration(table, bad->row);
  if (loss_finite && !calibrates && NextToFinite(table, norm, bad->row)) {
    Add(out, table, bad->row, "grad-before-loss",
        fmt::format("The gradient norm is non-finite at {} while the loss of that step is finite.", PlaceOf(table, bad->row)));
  }
}

void EvaluateTable(const FactView& facts, const MetricTable& table, Findings& out) {
  const Series norm = SeriesOf(table, Metric::kGradNorm);
  const std::vector<std::size_t> columns = LossColumns(table);
  std::size_t fullest = 0;
  for (const std::size_t c : columns) fullest = std::max(fullest, Series(table, c).size());
  for (const std::size_t c : columns) {
    // A loss that stands in a few lines only is another quantity than that of the training loop.
    if (2 * Series(table, c).size() >= fullest) EvaluateLoss(facts, table, c, norm, out);
  }
  EvaluateNorm(table, out);
}

// Megatron leaves a loss that is NaN out of its line, and counts it.
void EvaluateMissingLoss(const MetricTable& table, Findings& out) {
  const auto loss = table.Find(Metric::kLoss);
  const auto counter = table.Find(Metric::kNanSteps);
  const auto skips = table.Find(Metric::kSkippedSteps);
  std::size_t missing = 0;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    const bool counted = counter && table.At(i, *counter).value_or(0) > 0;
    // Of steps that the scaler skipped there is no loss to print either; a NaN among them would be counted.
    const bool skipped = skips && table.At(i, *skips).value_or(0) > 0;
    const bool absent = counter && !skipped && !(loss && table.At(i, *loss));
    if (!counted && !absent) continue;
    ++missing;
    if (!first) first = i;
  }
  if (first && missing >= 2) {
    Add(out, table, *first, "loss-hidden-nan",
        fmt::format("{} without a loss or with counted NaN iterations, from {} on: the writer leaves a NaN loss out.",
                    Plural(missing, "line"), PlaceOf(table, *first)));
  }
}

// A bar shows the last value that it was given, which is NaN until the first evaluation: that comes with the end of an epoch.
bool OnlyBeforeFirstEvaluation(const MetricTable& table, const Series& series) {
  if (table.writer != "tqdm" && table.writer != "lightning") return false;
  const double epoch = table.row(series.front().row).epoch;
  const double last = table.row(series.back().row).epoch;
  const std::int64_t step = table.row(series.back().row).step;
  return epoch == last && !(table.planned_steps > 0 && step != kNoStep && step >= table.planned_steps);
}

// Evaluation columns stand in the training table or in one of their own.
void EvaluateEvaluation(const FactView& facts, Findings& out) {
  bool training_bad = out.Has("loss-nonfinite") || out.Has("loss-hidden-nan");
  bool training_seen = false;
  for (const MetricTable& table : facts.tables()) training_seen = training_seen || table.Find(Metric::kLoss).has_value();
  if (training_bad || !training_seen) return;
  for (const MetricTable& table : facts.tables()) {
    const auto column = FullestColumn(table, Metric::kEvalLoss);
    if (!column) continue;
    const Series series = Series(table, *column);
    const auto bad = FindBad(series);
    if (!bad) continue;
    // NaN until the first evaluation, or in the rows between evaluations, is how a writer says that there is no value.
    const std::size_t finite = FiniteValues(series).size();
    const bool only_first = bad->finite_before == 0 && bad->finite_after > 0;
    const bool in_between = finite >= 2 && 2 * bad->count >= series.size() && bad->finite_before + bad->finite_after < finite;
    if (only_first || in_between || (finite == 0 && OnlyBeforeFirstEvaluation(table, series))) continue;
    Add(out, table, bad->row, "eval-only-nonfinite",
        fmt::format("The evaluation loss is {} at {} while the training loss is finite.",
                    FormatNumber(*table.At(bad->row, *column)), PlaceOf(table, bad->row)));
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  for (const MetricTable& table : facts.tables()) {
    EvaluateTable(facts, table, out);
    if (table.writer == "megatron") EvaluateMissingLoss(table, out);
  }
  EvaluateEvaluation(facts, out);
}

}  // namespace

extern const Rule loss_series;
constinit const Rule loss_series{
    .id = "loss-series",
    .title = "What the loss and the gradient norm did over the steps",
    .looks_at = "loss, evaluation loss and gradient norm of every log and metric file",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
