// SPDX-License-Identifier: Apache-2.0
#include "reasoning/steps_before.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/progress.h"

namespace assay {
namespace {

// Bars of what comes before the training: files that are fetched, read or tokenised.
bool IsPreparation(const ProgressBar& bar) {
  static constexpr std::array<std::string_view, 16> kWords{"load",  "download", "fetch",  "map",   "tokeniz", "tokenis",
                                                           "cache", "caching",  "filter", "split", "shard",   "extract",
                                                           "scan",  "process",  "build",  "read"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return ContainsIgnoreCase(bar.description, word); });
}

// "Epoch: 3/10" counts epochs; "Epoch 3: 120/1250" counts the steps of one.
bool CountsEpochs(const ProgressBar& bar) {
  const std::string_view text = Trim(bar.description);
  return EqualsIgnoreCase(text, "epoch") || EqualsIgnoreCase(text, "epochs");
}

StepsBefore FromRows(const MetricTable& table, std::uint64_t offset) {
  StepsBefore steps;
  std::size_t end = 0;
  while (end < table.row_count() && table.row(end).offset < offset) ++end;
  if (end == 0) return steps;
  const MetricRow& last = table.row(end - 1);
  std::size_t begin = end - 1;
  while (begin > 0 && table.row(begin - 1).attempt == last.attempt) --begin;
  steps.counted = true;
  steps.last = table.Cite(end - 1);
  const MetricRow& first = table.row(begin);
  const auto rows = static_cast<double>(end - begin);
  if (last.step != kNoStep && first.step != kNoStep && last.step >= first.step) {
    // The first row stands for as many steps as lie between the rows, unless the count began elsewhere.
    std::vector<double> gaps;
    for (std::size_t i = begin + 1; i < end && gaps.size() < 1000; ++i) {
      if (table.row(i - 1).step != kNoStep && table.row(i).step > table.row(i - 1).step)
        gaps.push_back(static_cast<double>(table.row(i).step - table.row(i - 1).step));
    }
    steps.completed = std::max(static_cast<double>(last.step - first.step) + (gaps.empty() ? 1 : Median(gaps)), 1.0);
  } else {
    steps.completed = rows;
  }
  if (last.step == kNoStep && !std::isnan(last.epoch) && !std::isnan(first.epoch)) {
    steps.epochs = std::floor(last.epoch) - std::floor(first.epoch) + 1;
  }
  return steps;
}

// Bars that reached their total add up. Of those that did not, only the longest counts: the bars of several ranks that are
// printed into one log look like many bars that start over.
StepsBefore FromBars(const FactView& facts, SourceId source, std::uint64_t offset) {
  StepsBefore bars;
  double longest = 0;
  for (const ProgressBar& bar : facts.All<ProgressBar>()) {
    if (bar.cite.source != source || bar.first_cite.begin >= offset || bar.evaluation || IsPreparation(bar)) continue;
    if (CountsEpochs(bar)) {
      bars.epochs = std::max(bars.epochs, bar.last);
      continue;
    }
    // A bar that has not moved in minutes counts something longer than steps.
    constexpr double kLongest = 300;
    if (bar.last == 0 && bar.elapsed > kLongest) continue;
    bars.counted = true;
    bars.last = bar.cite;
    const double steps = bar.last - std::min(bar.first, bar.last);
    if (bar.total > 0 && bar.last >= bar.total) {
      bars.completed += steps;
    } else {
      longest = std::max(longest, steps);
    }
  }
  bars.completed += longest;
  return bars;
}

}  // namespace

StepsBefore TrainingStepsBefore(const FactView& facts, SourceId source, std::uint64_t offset) {
  StepsBefore best;
  for (const MetricTable& table : facts.tables()) {
    if (table.source != source || !IsTraining(table)) continue;
    StepsBefore steps = FromRows(table, offset);
    if (steps.counted && (!best.counted || steps.completed > best.completed)) best = steps;
  }
  const StepsBefore bars = FromBars(facts, source, offset);
  // Rows are exact, so they win where they exist and count more than epochs.
  if (!best.counted && bars.counted) best = bars;
  if (best.completed < bars.completed && best.counted && best.epochs > 0) best.completed = bars.completed;
  best.epochs = std::max(best.epochs, bars.epochs);
  return best;
}

StepsBefore EvaluationStepsBefore(const FactView& facts, SourceId source, std::uint64_t offset) {
  const ProgressBar* open = nullptr;
  std::size_t bars = 0;
  for (const ProgressBar& bar : facts.All<ProgressBar>()) {
    if (bar.cite.source != source || bar.first_cite.begin >= offset || IsPreparation(bar) || CountsEpochs(bar)) continue;
    ++bars;
    if (open == nullptr || bar.first_cite.begin > open->first_cite.begin) open = &bar;
  }
  StepsBefore steps;
  if (open == nullptr) return steps;
  if (!open->evaluation) {
    // A bar without a name is the pass itself where nothing else counts, or where it began inside another one.
    const bool trains = std::any_of(facts.tables().begin(), facts.tables().end(),
                                    [&](const MetricTable& table) { return table.source == source && IsTraining(table); });
    if ((trains && bars == 1) || (open->total > 0 && open->last >= open->total)) return steps;
  }
  steps.counted = true;
  steps.completed = open->last - std::min(open->first, open->last);
  steps.last = open->cite;
  return steps;
}

}  // namespace assay
