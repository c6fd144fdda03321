// SPDX-License-Identifier: Apache-2.0
#include "reasoning/step_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/series.h"

namespace assay {
namespace {

using Measure = CostSeries::Measure;
constexpr std::size_t kEnoughPoints = 6;

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view n) { return EqualsIgnoreCase(name, n); });
}

// Seconds since the start of the run or of the epoch, whatever else the name may mean.
bool MayCountFromStart(std::string_view name) {
  return IsOneOf(name, {"time", "seconds", "elapsed", "elapsed_time", "total_time", "wall_time", "walltime", "runtime", "wall",
                        "train_wall"});
}
bool IsEpochTime(std::string_view name) {
  return IsOneOf(name, {"epoch_time", "time_per_epoch", "epoch_seconds", "epoch_duration", "dur", "sec_per_epoch", "epoch_sec"});
}
// Steps per time become fewer when the batch grows, samples and tokens do not.
bool CountsSteps(std::string_view name) {
  return IsOneOf(
      name, {"it_s", "it/s", "ups", "steps_per_second", "global_step_sec", "global_step/sec", "steps/sec", "iter_s", "iter/s"});
}

// Rows that the training itself wrote, of the last attempt.
bool IsTrainingRow(const MetricTable& table, std::size_t row, std::uint32_t attempt, bool has_own) {
  if (table.row(row).attempt != attempt) return false;
  if (!has_own) return true;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Metric metric = table.columns()[c].metric;
    const bool own = metric == Metric::kLoss || metric == Metric::kGradNorm || metric == Metric::kLearningRate;
    if (own && table.At(row, c)) return true;
  }
  return false;
}

// Of a long table about kManyRows of them: how the pace changes along a run shows in these, and a point costs memory. One row of
// each stretch is taken, at a place that differs from stretch to stretch, so that nothing periodic can hide.
constexpr std::size_t kManyRows = 65536;
std::size_t RowsPerPoint(const MetricTable& table) { return table.row_count() / kManyRows + 1; }
std::vector<std::size_t> TrainingRows(const MetricTable& table) {
  std::vector<std::size_t> rows;
  if (table.row_count() == 0) return rows;
  const bool has_own = table.Find(Metric::kLoss) || table.Find(Metric::kGradNorm) || table.Find(Metric::kLearningRate);
  const std::uint32_t attempt = table.row(table.row_count() - 1).attempt;
  const std::size_t stretch = RowsPerPoint(table);
  for (std::size_t begin = 0; begin < table.row_count(); begin += stretch) {
    constexpr std::size_t kPrime = 7919;
    const std::size_t length = std::min(stretch, table.row_count() - begin);
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t row = begin + (begin / stretch * kPrime + i) % length;
      if (!IsTrainingRow(table, row, attempt, has_own)) continue;
      rows.push_back(row);
      break;
    }
  }
  return rows;
}

void AddPoint(CostSeries& series, std::size_t row, double seconds) {
  if (!std::isfinite(seconds) || seconds <= 0) return;
  const MetricTable& table = *series.table;
  series.points.push_back({.seconds = seconds,
                           .place = PlaceOf(table, row),
                           .step = table.row(row).step,
                           .time = table.row(row).time,
                           .cite = table.Cite(row)});
}

// Differences of a clock that counts from the start, per step or epoch; a clock that was set back begins anew.
CostSeries FromClock(const MetricTable& table, const std::vector<std::size_t>& rows, Measure measure, auto clock) {
  CostSeries series{.measure = measure, .table = &table};
  std::size_t forward = 0;  // an epoch may count its steps anew
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool rises = table.row(rows[i]).step != kNoStep && table.row(rows[i - 1]).step != kNoStep &&
                       table.row(rows[i]).step > table.row(rows[i - 1]).step;
    if (rises) ++forward;
  }
  const bool by_step = rows.size() > 1 && forward * 2 > rows.size() - 1;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto before = clock(rows[i - 1]);
    const auto after = clock(rows[i]);
    if (!before || !after || !(*after > *before)) continue;
    double units = table.row(rows[i]).epoch - table.row(rows[i - 1]).epoch;
    if (by_step) {
      const bool counted = table.row(rows[i]).step != kNoStep && table.row(rows[i - 1]).step != kNoStep;
      units = counted ? static_cast<double>(table.row(rows[i]).step) - static_cast<double>(table.row(rows[i - 1]).step) : 0;
    }
    if (!(units > 0)) continue;
    AddPoint(series, rows[i], (*after - *before) / units);
  }
  series.what = by_step ? "time per step" : "time per epoch";
  return series;
}

// Nearly every value is above the one before it: the clock runs on.
bool RunsOn(const std::vector<double>& values) {
  if (values.size() < kEnoughPoints) return true;  // too few to tell
  std::size_t rises = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] > values[i - 1]) ++rises;
  }
  return rises * 100 >= (values.size() - 1) * 85;
}

// Seconds between the printed times of two rows, most of the time.
double UsualInterval(const MetricTable& table, const std::vector<std::size_t>& rows) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double interval = table.row(rows[i]).time - table.row(rows[i - 1]).time;
    if (std::isfinite(interval)) intervals.push_back(interval);
  }
  return Median(intervals);
}
constexpr double kShortestInterval = 5;  // printed times are whole seconds

CostSeries OfTable(const MetricTable& table) {
  const std::vector<std::size_t> rows = TrainingRows(table);
  CostSeries best{.table = &table};
  const auto take = [&](CostSeries candidate) {
    if (best.points.size() < kEnoughPoints && candidate.points.size() >= kEnoughPoints) best = std::move(candidate);
  };
  const auto column_of = [&](std::size_t c, Measure measure, bool inverse) {
    CostSeries series{.measure = measure, .what = table.columns()[c].name, .table = &table, .is_rate = inverse};
    for (const std::size_t row : rows) {
      if (const auto value = table.At(row, c); value && *value > 0) AddPoint(series, row, inverse ? 1 / *value : *value);
    }
    return series;
  };
  // In order of trust; the first that has enough points is taken.
  for (const bool steps : {false, true}) {
    if (steps) {
      for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const std::string& name = table.columns()[c].name;
        if (table.columns()[c].metric != Metric::kStepTime) continue;
        const bool ambiguous = MayCountFromStart(name) &&
                               IsOneOf(table.writer, {"key-value", "printed-table", "python-dict", "tqdm", "progress-line",
                                                      "metrics-csv", "json-lines", "json-config", "wandb-offline"});
        CostSeries series = column_of(c, Measure::kStepTime, false);
        if (ambiguous && RunsOn(Seconds(series.points))) {
          take(FromClock(table, rows, Measure::kElapsed, [&](std::size_t row) { return table.At(row, c); }));
        } else {
          series.what = "step time";
          take(std::move(series));
        }
      }
    }
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      if (table.columns()[c].metric == Metric::kThroughput && CountsSteps(table.columns()[c].name) == steps)
        take(column_of(c, Measure::kThroughput, true));
    }
  }
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const std::string& name = table.columns()[c].name;
    if (IsEpochTime(name)) {
      CostSeries series = column_of(c, Measure::kEpochTime, false);
      series.what = "time per epoch";
      take(std::move(series));
    } else if (table.columns()[c].metric == Metric::kOther && MayCountFromStart(name)) {
      take(FromClock(table, rows, Measure::kElapsed, [&](std::size_t row) { return table.At(row, c); }));
    }
  }
  const auto stamp = [&](std::size_t row) -> std::optional<double> {
    const double time = table.row(row).time;
    return std::isnan(time) ? std::nullopt : std::optional(time);
  };
  if (best.points.size() < kEnoughPoints && UsualInterval(table, rows) >= kShortestInterval)
    take(FromClock(table, rows, Measure::kTimestamps, stamp));
  best.rows_per_point = RowsPerPoint(table);
  return best;
}

// A bar's own clock. One bar an epoch, or one for the whole run.
CostSeries OfBars(const FactView& facts) {
  CostSeries series{.measure = Measure::kBar, .what = "time per step of the progress bar"};
  std::vector<const ProgressBar*> bars;
  for (const ProgressBar& bar : facts.All<ProgressBar>()) {
    const bool downloads = ContainsIgnoreCase(bar.description, "download") || ContainsIgnoreCase(bar.description, "loading") ||
                           ContainsIgnoreCase(bar.description, "map");
    if (!bar.evaluation && !downloads && bar.total >= 20 && bar.samples.size() >= 3) bars.push_back(&bar);
  }
  if (bars.empty()) return series;
  // The bars of the training are those of one length that took the longest.
  double longest = 0;
  double total = 0;
  for (const ProgressBar* bar : bars) {
    double elapsed = 0;
    for (const ProgressBar* other : bars) elapsed += other->total == bar->total ? other->elapsed : 0;
    if (elapsed > longest) {
      longest = elapsed;
      total = bar->total;
    }
  }
  for (const ProgressBar* bar : bars) {
    if (bar->total != total) continue;
    for (std::size_t i = 1; i < bar->samples.size(); ++i) {
      const auto& [from, since] = bar->samples[i - 1];
      const auto& [to, until] = bar->samples[i];
      if (!(to > from) || until - since < 5) continue;  // the clock shows whole seconds
      series.points.push_back({.seconds = (until - since) / (to - from),
                               .place = fmt::format("position {} of {}", FormatNumber(to), FormatNumber(bar->total)),
                               .time = std::numeric_limits<double>::quiet_NaN(),
                               .cite = bar->cite});
    }
  }
  return series;
}

}  // namespace

std::vector<CostSeries> CostsOf(const FactView& facts) {
  std::vector<CostSeries> all;
  for (const MetricTable& table : facts.tables()) {
    CostSeries series = OfTable(table);
    if (series.points.size() >= kEnoughPoints) all.push_back(std::move(series));
  }
  if (CostSeries bars = OfBars(facts); bars.points.size() >= kEnoughPoints) all.push_back(std::move(bars));
  std::stable_sort(all.begin(), all.end(), [](const CostSeries& a, const CostSeries& b) {
    if (a.measure != b.measure) return a.measure < b.measure;
    return a.points.size() > b.points.size();
  });
  return all;
}

std::vector<CostPoint> AfterWarmUp(const CostSeries& series) {
  const std::size_t drop = std::clamp<std::size_t>(series.points.size() / 10, 1, 10);
  return {series.points.begin() + static_cast<std::ptrdiff_t>(std::min(drop, series.points.size())), series.points.end()};
}

std::vector<double> Seconds(const std::vector<CostPoint>& points) {
  std::vector<double> seconds;
  seconds.reserve(points.size());
  for (const CostPoint& p : points) seconds.push_back(p.seconds);
  return seconds;
}

std::string CostText(const CostSeries& series, double seconds) {
  const auto short_number = [](double v) { return fmt::format("{:.3g}", v); };
  if (series.is_rate) return short_number(1 / seconds) + " a second";
  return short_number(seconds) + " s";
}

}  // namespace assay
