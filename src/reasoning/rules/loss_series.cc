// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 9> kYields{"loss-nonfinite",     "loss-hidden-nan",     "gradnorm-nonfinite",
                                                  "norm-only-nonfinite", "eval-only-nonfinite", "first-bad-step-0",
                                                  "first-bad-late",      "loss-spike-before",   "gradnorm-growth"};

constexpr std::size_t kRecovered = 10;   // finite values after the last bad one: the run went on
constexpr std::size_t kWindow = 25;      // values of a local median
constexpr double kSpikeRatio = 10;       // over the local median
constexpr double kSpikeScore = 6;        // modified z

struct Point {
  std::size_t row;
  double value;
};
std::vector<Point> Points(const MetricTable& table, std::size_t column) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    if (const auto value = table.At(i, column)) points.push_back({i, *value});
  }
  return points;
}

std::string Place(const MetricTable& table, std::size_t row) {
  const MetricRow& r = table.row(row);
  if (r.step != kNoStep) return fmt::format("step {}", r.step);
  if (!std::isnan(r.epoch)) return fmt::format("epoch {}", FormatNumber(r.epoch));
  return fmt::format("row {} of its log", row + 1);
}

Finding& AddAt(Findings& out, const MetricTable& table, std::size_t row, std::string_view id, std::string statement) {
  Finding& finding = out.Add("loss-series", id, std::move(statement), {table.Cite(row)});
  const MetricRow& r = table.row(row);
  if (!finding.step && r.step != kNoStep) finding.step = r.step;
  if (!finding.epoch && !std::isnan(r.epoch)) finding.epoch = r.epoch;
  if (!finding.rank) finding.rank = table.rank;
  return finding;
}

struct FirstBad {
  std::size_t row;       // first non-finite value
  std::size_t last_row;  // last one
  std::size_t count;
  std::size_t finite_after;
  std::size_t finite_before;
};
std::optional<FirstBad> FindBad(const std::vector<Point>& points) {
  std::optional<FirstBad> bad;
  std::size_t finite = 0;
  for (const Point& p : points) {
    if (std::isfinite(p.value)) {
      ++finite;
      if (bad) ++bad->finite_after;
    } else if (!bad) {
      bad = FirstBad{.row = p.row, .last_row = p.row, .count = 1, .finite_after = 0, .finite_before = finite};
    } else {
      bad->last_row = p.row;
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

void PlaceInTraining(Findings& out, const MetricTable& table, const FirstBad& bad, std::string_view what) {
  const MetricRow& r = table.row(bad.row);
  if (bad.finite_before == 0 && IsFirstStep(table, bad.row) && r.step != kNoStep) {
    AddAt(out, table, bad.row, "first-bad-step-0", fmt::format("The {} is non-finite from the first step on ({}).", what, Place(table, bad.row)));
  } else if (bad.finite_before > 0 && r.step != kNoStep && r.step > 100) {
    AddAt(out, table, bad.row, "first-bad-late",
          fmt::format("The {} became non-finite at {}, after {} finite values.", what, Place(table, bad.row), bad.finite_before));
  }
}

void LookBefore(Findings& out, const MetricTable& table, const std::vector<Point>& loss, std::size_t bad_row) {
  // A spike in the fifty values before the break, against the values before each of them.
  std::vector<Point> before;
  for (const Point& p : loss) {
    if (p.row < bad_row && std::isfinite(p.value)) before.push_back(p);
  }
  const std::size_t from = before.size() > 50 ? before.size() - 50 : 0;
  for (std::size_t i = std::max(from, std::size_t{5}); i < before.size(); ++i) {
    std::vector<double> window;
    for (std::size_t j = i > kWindow ? i - kWindow : 0; j < i; ++j) window.push_back(before[j].value);
    const double median = Median(window);
    const double mad = MedianAbsoluteDeviation(window);
    const double z = mad > 0 ? 0.6745 * (before[i].value - median) / mad : 0;
    const bool jump = median > 0 && before[i].value > kSpikeRatio * median;
    // A tight window makes any wobble a large z: the jump must also be visible.
    if (jump || (z > kSpikeScore && window.size() >= 10 && median > 0 && before[i].value > 1.5 * median)) {
      AddAt(out, table, before[i].row, "loss-spike-before",
            fmt::format("Before it broke, the loss rose to {} at {} (median before: {}).", FormatNumber(before[i].value),
                        Place(table, before[i].row), FormatNumber(median)));
      return;
    }
  }
}

void LookAtNorm(Findings& out, const MetricTable& table, const std::vector<Point>& norm, std::size_t bad_row) {
  std::vector<double> before;
  std::vector<std::size_t> rows;
  for (const Point& p : norm) {
    if (p.row < bad_row && std::isfinite(p.value)) {
      before.push_back(p.value);
      rows.push_back(p.row);
    }
  }
  if (before.size() < 20) return;
  const auto end = before.end();
  const std::size_t reference_count = std::min<std::size_t>(before.size() - 10, 190);
  const std::vector<double> last(end - 10, end);
  const std::vector<double> reference(end - 10 - static_cast<std::ptrdiff_t>(reference_count), end - 10);
  if (Median(last) > 10 * Median(reference)) {
    AddAt(out, table, rows.back(), "gradnorm-growth",
          fmt::format("The gradient norm grew before the break: median of the last ten {}, before that {}.", FormatNumber(Median(last)),
                      FormatNumber(Median(reference))));
  }
}

void EvaluateTable(const MetricTable& table, Findings& out) {
  const auto loss_column = table.Find(Metric::kLoss);
  const auto norm_column = table.Find(Metric::kGradNorm);
  const std::vector<Point> loss = loss_column ? Points(table, *loss_column) : std::vector<Point>{};
  const std::vector<Point> norm = norm_column ? Points(table, *norm_column) : std::vector<Point>{};
  const auto bad_loss = FindBad(loss);
  const auto bad_norm = FindBad(norm);

  if (bad_loss) {
    Finding& finding = AddAt(out, table, bad_loss->row, "loss-nonfinite",
                             fmt::format("The training loss is {} at {}{}.", FormatNumber(*table.At(bad_loss->row, *loss_column)),
                                         Place(table, bad_loss->row),
                                         bad_loss->count > 1 ? fmt::format(" and in {} values in all", bad_loss->count) : ""));
    finding.survived = bad_loss->finite_after >= kRecovered;
    if (!finding.survived) {
      PlaceInTraining(out, table, *bad_loss, "loss");
      LookBefore(out, table, loss, bad_loss->row);
    }
  }
  if (bad_norm) {
    Finding& finding = AddAt(out, table, bad_norm->row, "gradnorm-nonfinite",
                             fmt::format("The gradient norm is {} at {}{}.", FormatNumber(*table.At(bad_norm->row, *norm_column)),
                                         Place(table, bad_norm->row),
                                         bad_norm->count > 1 ? fmt::format(" and in {} values in all", bad_norm->count) : ""));
    finding.survived = bad_norm->finite_after >= kRecovered;
    if (!finding.survived) LookAtNorm(out, table, norm, bad_norm->row);
    // The loss of the same rows: an exact zero hides NaN (the Trainer replaces it), a falling one says that only the norm is bad.
    std::size_t zero = 0;
    std::size_t finite_later = 0;
    for (const Point& p : norm) {
      if (std::isfinite(p.value) || !loss_column) continue;
      const auto value = table.At(p.row, *loss_column);
      if (value && *value == 0.0) ++zero;
    }
    for (const Point& p : loss) {
      if (p.row > bad_norm->row && std::isfinite(p.value) && p.value != 0.0) ++finite_later;
    }
    if (zero > 0) {
      Finding& hidden = AddAt(out, table, bad_norm->row, "loss-hidden-nan",
                              fmt::format("The loss is printed as 0.0 beside a non-finite gradient norm ({}): the logger's NaN filter replaced it.",
                                          Plural(zero, "row")));
      hidden.survived = finding.survived;
      if (!hidden.survived && !bad_loss) PlaceInTraining(out, table, *bad_norm, "hidden loss");
    } else if (!bad_loss && finite_later >= kRecovered) {
      AddAt(out, table, bad_norm->row, "norm-only-nonfinite",
            fmt::format("Only the gradient norm is non-finite; the loss stayed finite for {} further values.", finite_later));
    }
  }
}

// Megatron leaves a loss that is NaN out of its line, and counts it.
void EvaluateMissingLoss(const MetricTable& table, Findings& out) {
  const auto loss = table.Find(Metric::kLoss);
  const auto counter = table.Find(Metric::kNanSteps);
  std::size_t missing = 0;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    const bool counted = counter && table.At(i, *counter).value_or(0) > 0;
    const bool absent = counter && !(loss && table.At(i, *loss));
    if (!counted && !absent) continue;
    ++missing;
    if (!first) first = i;
  }
  if (first && missing >= 2) {
    AddAt(out, table, *first, "loss-hidden-nan",
          fmt::format("{} without a loss or with counted NaN iterations, from {} on: the writer leaves a NaN loss out.", Plural(missing, "line"),
                      Place(table, *first)));
  }
}

// Evaluation columns stand in the training table or in one of their own.
void EvaluateEvaluation(const FactView& facts, Findings& out) {
  bool training_bad = out.Has("loss-nonfinite") || out.Has("loss-hidden-nan");
  bool training_seen = false;
  for (const MetricTable& table : facts.tables()) training_seen = training_seen || table.Find(Metric::kLoss).has_value();
  if (training_bad || !training_seen) return;
  for (const MetricTable& table : facts.tables()) {
    const auto column = table.Find(Metric::kEvalLoss);
    if (!column) continue;
    const auto bad = FindBad(Points(table, *column));
    if (bad) {
      AddAt(out, table, bad->row, "eval-only-nonfinite",
            fmt::format("The evaluation loss is {} at {} while the training loss is finite.", FormatNumber(*table.At(bad->row, *column)),
                        Place(table, bad->row)));
    }
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  for (const MetricTable& table : facts.tables()) {
    EvaluateTable(table, out);
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
    .evaluate = Evaluate,
};

}  // namespace assay::rules
