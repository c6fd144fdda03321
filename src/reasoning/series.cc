// SPDX-License-Identifier: Apache-2.0
#include "reasoning/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace assay {

Series::Series(const MetricTable& table, std::size_t column, std::size_t from, std::size_t to) : table_(&table), column_(column) {
  std::size_t next = ~std::size_t{0};  // the row that goes on with the last stretch
  table.ForEachValue(column, [&](std::size_t row, double) {
    if (row < from || row >= to) return;
    if (row != next) stretches_.push_back({.first = size_, .row = row});
    next = row + 1;
    ++size_;
  });
  second_ = stretches_.size() > 1 ? stretches_[1].first : size_;
}

const Series::Stretch& Series::StretchOf(std::size_t i) const {
  const auto behind = std::upper_bound(stretches_.begin(), stretches_.end(), i,
                                       [](std::size_t number, const Stretch& stretch) { return number < stretch.first; });
  return *std::prev(behind);
}

std::optional<std::size_t> FullestColumn(const MetricTable& table, Metric metric) {
  std::optional<std::size_t> best;
  std::size_t most = 0;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (table.columns()[c].metric != metric) continue;
    std::size_t count = 0;
    table.ForEachValue(c, [&](std::size_t, double) { ++count; });
    if (count <= most) continue;
    best = c;
    most = count;
  }
  return best;
}

Series SeriesOf(const MetricTable& table, Metric metric) {
  const auto column = FullestColumn(table, metric);
  return column ? Series(table, *column) : Series{};
}

std::vector<double> FiniteValues(const Series& series) {
  std::vector<double> values;
  values.reserve(series.size());
  for (const SeriesPoint& p : series) {
    if (std::isfinite(p.value)) values.push_back(p.value);
  }
  return values;
}

std::vector<SeriesPoint> LastFinite(const Series& series, std::size_t count) {
  std::vector<SeriesPoint> last;
  for (std::size_t i = series.size(); i-- > 0 && last.size() < count;) {
    if (const SeriesPoint p = series[i]; std::isfinite(p.value)) last.push_back(p);
  }
  std::reverse(last.begin(), last.end());
  return last;
}

std::size_t BeginOfLastAttempt(const MetricTable& table) {
  std::size_t begin = table.row_count();
  while (begin > 0 && table.row(begin - 1).attempt == table.row(table.row_count() - 1).attempt) --begin;
  return begin;
}

std::vector<std::size_t> LossColumns(const MetricTable& table) {
  std::vector<std::size_t> whole;
  std::vector<std::size_t> parts;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const MetricColumn& column = table.columns()[c];
    if (column.metric == Metric::kLoss) whole.push_back(c);
    if (column.metric != Metric::kOther || NameIsEvaluation(column.name)) continue;
    const std::string name = ToLower(column.name);
    const bool part = name.ends_with("loss") || name.starts_with("loss_") || name.starts_with("loss/");
    if (part && name.find("scale") == std::string::npos) parts.push_back(c);
  }
  return whole.empty() ? parts : whole;
}

bool AnythingNonfinite(const FactView& facts) {
  const auto bad = [](const MetricTable& table, std::size_t column) {
    for (std::size_t i = 0; i < table.row_count(); ++i) {
      if (const auto value = table.At(i, column); value && !std::isfinite(*value)) return true;
    }
    return false;
  };
  for (const MetricTable& table : facts.tables()) {
    const auto norm = FullestColumn(table, Metric::kGradNorm);
    if (norm && bad(table, *norm)) return true;
    for (const std::size_t column : LossColumns(table)) {
      if (bad(table, column)) return true;
    }
  }
  return false;
}

std::string PlaceOf(const MetricTable& table, std::size_t row) {
  const MetricRow& r = table.row(row);
  if (r.step != kNoStep && !table.step_is_position) return fmt::format("step {}", r.step);
  if (!std::isnan(r.epoch)) return fmt::format("epoch {}", FormatNumber(r.epoch));
  return fmt::format("row {} of its log", row + 1);
}

Finding& AddAt(Findings& out, std::string_view rule, const MetricTable& table, std::size_t row, std::string_view id,
               std::string statement) {
  Finding& finding = out.Add(rule, id, std::move(statement), {table.Cite(row)});
  const MetricRow& r = table.row(row);
  if (!finding.step && r.step != kNoStep && !table.step_is_position) finding.step = r.step;
  if (!finding.epoch && !std::isnan(r.epoch)) finding.epoch = r.epoch;
  if (!finding.rank) finding.rank = table.rank;
  return finding;
}

bool PrintsAllDigits(const MetricTable& table, const FactView& facts) {
  if (facts.source(table.source).format != "text-log") return true;
  constexpr std::array<std::string_view, 6> kWriters{"hf-trainer", "python-dict", "tqdm", "megatron", "deepspeed", "fairseq"};
  return std::find(kWriters.begin(), kWriters.end(), table.writer) != kWriters.end();
}

std::optional<double> PlannedSteps(const MetricTable& table, const FactView& facts) {
  if (table.planned_steps > 0) return static_cast<double>(table.planned_steps);
  constexpr std::array<std::string_view, 8> kPlans{"max_steps",      "max_iters",   "train_iters", "total_steps",
                                                   "num_iterations", "total_iters", "num_steps",   "max_train_steps"};
  const ConfigValue* value = facts.FirstConfig(kPlans);
  if (value == nullptr) return std::nullopt;
  const auto number = ParseNumber(Trim(value->value));
  return number && *number > 0 ? number : std::nullopt;
}

bool LooksLikeReinforcementOrAdversary(const FactView& facts) {
  constexpr std::array<std::string_view, 22> kWords{
      "reward",  "policy",     "critic",   "actor",    "advantage", "entropy_loss", "entropy_coef", "kl",
      "episode", "rollout",    "return",   "d_loss",   "g_loss",    "loss_d",       "loss_g",       "gen_loss",
      "disc",    "adversaria", "loss_dis", "loss_gen", "elbo",      "vae"};
  for (const MetricTable& table : facts.tables()) {
    for (const MetricColumn& column : table.columns()) {
      const std::string name = ToLower(column.name);
      for (const std::string_view word : kWords) {
        if (name.find(word) != std::string::npos) return true;
      }
    }
  }
  return false;
}

}  // namespace assay
