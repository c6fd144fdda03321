// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"growth-linear", "growth-steps", "host-rss-growth"};

constexpr std::size_t kMinPoints = 50;  // after warm-up
constexpr double kWarmUp = 0.1;         // of the rows
constexpr double kRise = 0.01;          // of the peak
constexpr double kRiseBytes = 16.0 * 1024 * 1024;
constexpr double kSecondHalf = 0.5;  // its slope over that of the first half: a cache that fills is no leak
constexpr std::size_t kMaxJumps = 10;
constexpr double kJump = 0.01;         // of the peak
constexpr double kStepRise = 0.05;     // of the peak, in all
constexpr double kSignificant = 1.96;  // Kendall's test, 95 %
constexpr std::size_t kTested = 300;   // points, evenly chosen

struct Series {
  std::vector<double> x;  // steps, or rows where no step is printed
  std::vector<double> y;
  std::size_t first_row = 0;
  std::size_t last_row = 0;
};

// The last attempt, without its warm-up.
Series SeriesOf(const MetricTable& table, std::size_t column) {
  Series series;
  if (table.row_count() == 0) return series;
  const std::uint32_t attempt = table.row(table.row_count() - 1).attempt;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    const auto value = table.At(i, column);
    if (table.row(i).attempt == attempt && value && std::isfinite(*value) && *value > 0) rows.push_back(i);
  }
  const auto skip = std::max<std::size_t>(static_cast<std::size_t>(kWarmUp * static_cast<double>(rows.size())),
                                          std::min<std::size_t>(rows.size(), 3));
  for (std::size_t i = skip; i < rows.size(); ++i) {
    const MetricRow& row = table.row(rows[i]);
    series.x.push_back(row.step != kNoStep ? static_cast<double>(row.step) : static_cast<double>(rows[i]));
    series.y.push_back(*table.At(rows[i], column));
  }
  if (!series.y.empty()) {
    series.first_row = rows[skip];
    series.last_row = rows.back();
  }
  return series;
}

// Kendall's S over its standard deviation: how sure the rise is, whatever its shape.
double TrendScore(std::span<const double> y) {
  const std::size_t n = std::min(y.size(), kTested);
  const auto pick = [&](std::size_t i) { return n == y.size() ? y[i] : y[i * (y.size() - 1) / (n - 1)]; };
  double s = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) s += pick(j) > pick(i) ? 1 : pick(j) < pick(i) ? -1 : 0;
  }
  const auto count = static_cast<double>(n);
  return s / std::sqrt(count * (count - 1) * (2 * count + 5) / 18);
}

double Peak(const Series& series) { return *std::max_element(series.y.begin(), series.y.end()); }

struct Jumps {
  std::size_t count = 0;
  bool only_rises = true;
};
Jumps JumpsOf(const Series& series) {
  Jumps jumps;
  const double least = kJump * Peak(series);
  for (std::size_t i = 1; i < series.y.size(); ++i) {
    const double change = series.y[i] - series.y[i - 1];
    if (change < 0) jumps.only_rises = false;
    if (change >= least) ++jumps.count;
  }
  return jumps;
}

std::size_t Flat(const Series& series) {
  std::size_t flat = 0;
  for (std::size_t i = 1; i < series.y.size(); ++i) flat += series.y[i] == series.y[i - 1] ? 1U : 0U;
  return flat;
}

std::string Amount(double value, bool bytes) { return bytes ? FormatBytes(value) : FormatNumber(value); }

bool GrowsSteadily(const Series& series, bool bytes, double* slope) {
  if (series.y.size() < kMinPoints) return false;
  const std::size_t half = series.y.size() / 2;
  const std::span<const double> x(series.x);
  const std::span<const double> y(series.y);
  *slope = TheilSenSlope(x, y);
  if (*slope <= 0 || TrendScore(y) < kSignificant) return false;
  const double rise = *slope * (series.x.back() - series.x.front());
  if (rise < kRise * Peak(series) || (bytes && rise < kRiseBytes)) return false;
  const double first = TheilSenSlope(x.first(half), y.first(half));
  const double second = TheilSenSlope(x.subspan(half), y.subspan(half));
  return second >= kSecondHalf * first && second > 0;
}

bool NamesHostProcess(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kNames{"rss",        "proc.memory", "process_mem", "cpu_mem",
                                                          "cpu_memory", "host_mem",    "ram_used"};
  const std::string lower = ToLower(name);
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view n) { return lower.find(n) != std::string::npos; });
}

// Shares say nothing of bytes, and what the host has free falls.
bool IsAmountOfMemory(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNot{"percent", "pct", "%", "util", "free", "avail", "rate", "frac"};
  const std::string lower = ToLower(name);
  return std::none_of(kNot.begin(), kNot.end(), [&](std::string_view n) { return lower.find(n) != std::string::npos; });
}

void LookAt(const MetricTable& table, std::size_t column, bool host, Findings& out) {
  const Series series = SeriesOf(table, column);
  if (series.y.size() < kMinPoints / 2) return;
  // A writer that does not say its unit prints GiB or MiB as a small number.
  const bool bytes = Peak(series) > 1e6;
  const std::string name = Printable(table.columns()[column].name, 60);
  const std::vector<Citation> cites{table.Cite(series.first_row), table.Cite(series.last_row)};
  const Jumps jumps = JumpsOf(series);
  const double rise = series.y.back() - series.y.front();
  const std::string change = fmt::format("from {} to {} over {} values", Amount(series.y.front(), bytes),
                                         Amount(series.y.back(), bytes), series.y.size());
  // A running maximum that is flat but for a few jumps shows samples that were larger than any before, not growth.
  const bool steps = jumps.only_rises && jumps.count > 0 && jumps.count <= kMaxJumps && Flat(series) * 10 >= series.y.size() * 8;
  if (steps) {
    if (!host && rise >= kStepRise * Peak(series)) {
      out.Add(
          "memory-growth", "growth-steps",
          fmt::format("The peak memory \"{}\" rose {} in {} and was flat between.", name, change, Plural(jumps.count, "jump")),
          cites);
    }
    return;
  }
  double slope = 0;
  if (!GrowsSteadily(series, bytes, &slope)) return;
  Finding& finding = out.Add("memory-growth", host ? "host-rss-growth" : "growth-linear",
                             fmt::format("{} \"{}\" grew steadily {}, {} per step.",
                                         host ? "The memory of a process" : "Device memory", name, change, Amount(slope, bytes)),
                             cites);
  finding.rank = table.rank;
}

void Evaluate(const FactView& facts, Findings& out) {
  for (const MetricTable& table : facts.tables()) {
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      const MetricColumn& c = table.columns()[column];
      if (!IsAmountOfMemory(c.name)) continue;
      const bool host = NamesHostProcess(c.name);
      if (host || c.metric == Metric::kMemory) LookAt(table, column, host, out);
    }
  }
}

}  // namespace

extern const Rule memory_growth;
constinit const Rule memory_growth{
    .id = "memory-growth",
    .title = "Whether memory grew over the steps: steadily, or in jumps of a running maximum",
    .looks_at = "memory columns of every log and metric file",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
