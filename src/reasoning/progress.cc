// SPDX-License-Identifier: Apache-2.0
#include "reasoning/progress.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "base/whole_number.h"

namespace assay {
namespace {

std::optional<double> ConfiguredNumber(const FactView& facts, std::span<const std::string_view> names) {
  const ConfigValue* value = facts.FirstConfig(names);
  if (value == nullptr) return std::nullopt;
  const auto number = ParseNumber(Trim(value->value));
  return number && *number > 0 && std::isfinite(*number) ? number : std::nullopt;
}

// What is read, fetched or converted before training starts.
bool IsPreparation(const ProgressBar& bar) {
  constexpr std::array<std::string_view, 11> kWords{"loading",    "downloading", "fetching", "generating", "tokenizing", "map",
                                                    "converting", "extracting",  "filter",   "caching",    "resolving"};
  const std::string lower = ToLower(Trim(bar.description));
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return lower.starts_with(word) && (lower.size() == word.size() || !IsIdentifierChar(lower[word.size()]));
  });
}

struct EpochOfTotal {
  double position;
  double total;
};
// "Epoch 3/10" in front of a bar.
std::optional<EpochOfTotal> EpochInDescription(std::string_view description) {
  const std::size_t at = description.find("poch");
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t digit = description.find_first_of("0123456789", at);
  if (digit == std::string_view::npos || digit > at + 8) return std::nullopt;
  const auto position = ParseNumberPrefix(description.substr(digit));
  if (!position) return std::nullopt;
  const std::string_view rest = description.substr(digit + position->length);
  const auto total = rest.starts_with('/') ? ParseNumberPrefix(rest.substr(1)) : std::nullopt;
  if (!total || total->value < position->value) return std::nullopt;
  return EpochOfTotal{position->value, total->value};
}

}  // namespace

std::size_t RowsBefore(const MetricTable& table, std::uint64_t offset) {
  std::size_t from = 0;
  std::size_t to = table.row_count();
  while (from < to) {
    const std::size_t middle = from + (to - from) / 2;
    if (table.row(middle).offset < offset) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

bool AttemptRises(const MetricTable& table, std::uint64_t offset) {
  const std::size_t before = RowsBefore(table, offset);
  return before > 0 && table.row(table.row_count() - 1).attempt != table.row(before - 1).attempt;
}

bool IsTraining(const MetricTable& table) {
  if (table.row_count() == 0) return false;
  return table.writer == "progress-line" || table.Find(Metric::kLoss) || table.Find(Metric::kGradNorm) ||
         table.Find(Metric::kLearningRate);
}

namespace {

// The steps reach their total and begin anew: it is the total of an epoch.
bool CountsAnew(const MetricTable& table) {
  for (std::size_t i = 0; i + 1 < table.row_count() && table.planned_steps > 0; ++i) {
    const std::int64_t step = table.row(i).step;
    const std::int64_t next = table.row(i + 1).step;
    if (step != kNoStep && next != kNoStep && step + 1 >= table.planned_steps && next < step) return true;
  }
  return false;
}

std::size_t CountSteps(const FactView& facts, SourceId source, std::uint64_t offset, bool training_only) {
  std::size_t most = 0;
  for (const MetricTable& table : facts.tables()) {
    if (table.source != source || (training_only && !IsTraining(table))) continue;
    most = std::max(most, table.row_count() - RowsBefore(table, offset));
  }
  for (const ProgressBar& bar : facts.All<ProgressBar>()) {
    if (bar.cite.source != source || bar.cite.begin < offset || (training_only && bar.evaluation)) continue;
    const double from = bar.first_cite.begin >= offset ? bar.first : bar.last;
    most = std::max(most, static_cast<std::size_t>(std::max<std::int64_t>(0, NearestWhole(bar.last - from))));
  }
  return most;
}

}  // namespace

std::uint64_t LastProgress(const FactView& facts, SourceId source) {
  std::uint64_t last = 0;
  for (const MetricTable& table : facts.tables()) {
    if (table.source == source && table.row_count() > 0) last = std::max(last, table.row(table.row_count() - 1).offset);
  }
  for (const ProgressBar& bar : facts.All<ProgressBar>()) {
    if (bar.cite.source == source) last = std::max(last, bar.cite.begin);
  }
  return last;
}

std::size_t StepsAfter(const FactView& facts, SourceId source, std::uint64_t offset) {
  return CountSteps(facts, source, offset, false);
}

std::size_t TrainingStepsAfter(const FactView& facts, SourceId source, std::uint64_t offset) {
  return CountSteps(facts, source, offset, true);
}

Extent ExtentOfRun(const FactView& facts) {
  Extent extent;
  bool steps_of_epoch = false;
  bool counts_anew = false;
  std::optional<Citation> furthest;
  for (const MetricTable& table : facts.tables()) {
    if (table.row_count() == 0) continue;
    if (IsTraining(table) && table.row_count() > extent.rows) {
      extent.rows = table.row_count();
      extent.last = table.Cite(table.row_count() - 1);
    }
    for (std::size_t i = 0; i < table.row_count(); ++i) {
      const MetricRow& row = table.row(i);
      if (row.step != kNoStep) {
        if (!extent.first_step || row.step < *extent.first_step) extent.first_step = row.step;
        if (!extent.last_step || row.step > *extent.last_step) {
          extent.last_step = row.step;
          furthest = table.Cite(i);
        }
      }
      if (!std::isnan(row.epoch)) extent.last_epoch = std::max(extent.last_epoch.value_or(row.epoch), row.epoch);
    }
    // "Epoch: 12/200, Iter: 96/96": a writer that counts both counts the steps of one epoch.
    steps_of_epoch = steps_of_epoch || (table.planned_steps > 0 && table.planned_epochs > 0);
    counts_anew = counts_anew || CountsAnew(table);
    if (table.planned_steps > 0) extent.planned_steps = std::max(extent.planned_steps.value_or(0), table.planned_steps);
    if (table.planned_epochs > 0) extent.planned_epochs = std::max(extent.planned_epochs.value_or(0), table.planned_epochs);
  }
  const ProgressBar* last_bar = nullptr;
  bool bar_moved = false;
  for (const ProgressBar& bar : facts.All<ProgressBar>()) {
    if (bar.evaluation || IsPreparation(bar)) continue;
    // Of a sum or a download there may be bars too; what counts epochs or steps has a total that somebody planned.
    if (bar.total > 1) ++extent.training_bars;
    if (const auto epoch = EpochInDescription(bar.description)) {
      extent.last_epoch = std::max(extent.last_epoch.value_or(0), epoch->position);
      extent.planned_epochs = std::max(extent.planned_epochs.value_or(0), epoch->total);
    }
    bar_moved = bar_moved || bar.last > bar.first;
    if (last_bar == nullptr || bar.cite.begin >= last_bar->cite.begin) last_bar = &bar;
  }
  if (last_bar != nullptr) {
    extent.bar_complete = last_bar->total > 0 && last_bar->last >= last_bar->total;
    if (!extent.last) extent.last = last_bar->cite;
  }
  if (furthest) extent.last = furthest;
  static constexpr std::array<std::string_view, 9> kStepPlans{"max_steps",   "max_iters",   "max_iter",
                                                              "train_iters", "total_steps", "num_iterations",
                                                              "total_iters", "num_steps",   "max_train_steps"};
  static constexpr std::array<std::string_view, 6> kEpochPlans{"num_train_epochs", "max_epochs", "epochs",
                                                               "num_epochs",       "n_epochs",   "max_epoch"};
  if (!extent.planned_steps) {
    if (const auto n = ConfiguredNumber(facts, kStepPlans)) extent.planned_steps = WholeNumber(*n);
  }
  if (!extent.planned_epochs) extent.planned_epochs = ConfiguredNumber(facts, kEpochPlans);
  const bool epochs_left = extent.planned_epochs && extent.last_epoch && *extent.last_epoch + 1 < *extent.planned_epochs;
  extent.reached_plan = (extent.planned_steps && extent.last_step && *extent.last_step + 1 >= *extent.planned_steps &&
                         !counts_anew && !(steps_of_epoch && epochs_left)) ||
                        (extent.planned_epochs && extent.last_epoch && *extent.last_epoch + 1 >= *extent.planned_epochs &&
                         (*extent.last_epoch >= *extent.planned_epochs || *extent.last_epoch == std::floor(*extent.last_epoch)));
  extent.advanced =
      (extent.first_step && extent.last_step && *extent.first_step != *extent.last_step) || extent.rows >= 2 || bar_moved;
  return extent;
}

}  // namespace assay
