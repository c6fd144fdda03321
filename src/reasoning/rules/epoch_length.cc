// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"steps-per-epoch-changed", "subset-left-on"};

// "Epoch 3:" and "Epoch 4:" are bars of one loop; "loss=0.5" in a description is no name.
std::string LoopName(std::string_view description) {
  std::string name;
  for (const char c : description.substr(0, description.find('='))) {
    if (!IsDigit(c)) name += c;
  }
  return name;
}

// How far apart the positions are at which this bar was printed: it may stand still so far before its end.
double PrintDistance(const ProgressBar& bar) {
  double distance = 1;
  for (std::size_t i = 1; i < bar.samples.size(); ++i)
    distance = std::max(distance, bar.samples[i].first - bar.samples[i - 1].first);
  return distance;
}

void LookAtBars(const FactView& facts, Findings& out) {
  struct Loop {
    std::vector<const ProgressBar*> bars;
  };
  std::map<std::pair<std::uint32_t, std::string>, Loop> loops;
  for (const ProgressBar& bar : facts.All<ProgressBar>()) {
    if (bar.evaluation || bar.total < 20 || bar.first > 0.2 * bar.total) continue;
    loops[{static_cast<std::uint32_t>(bar.cite.source),
           fmt::format("{} {} {}", bar.rank.value_or(-1), LoopName(bar.description), bar.total)}]
        .bars.push_back(&bar);
  }
  for (const auto& [key, loop] : loops) {
    // The last bar may be cut by the end of the log, of the plan or of the run.
    if (loop.bars.size() < 4) continue;
    std::vector<const ProgressBar*> cut;
    for (std::size_t i = 0; i + 1 < loop.bars.size(); ++i) {
      const ProgressBar& bar = *loop.bars[i];
      const double missing = bar.total - bar.last;
      if (missing > 0.02 * bar.total && missing > 2 * PrintDistance(bar) && bar.samples.size() >= 5) cut.push_back(&bar);
    }
    if (cut.size() < 3) continue;
    const auto [least, most] =
        std::minmax_element(cut.begin(), cut.end(), [](const auto* a, const auto* b) { return a->last < b->last; });
    // A loop that is left at will (an early stop of each epoch by time) ends anywhere; one that lacks data ends at one place.
    if ((*most)->last - (*least)->last > 0.02 * (*most)->total) continue;
    Finding& finding = out.Add("epoch-length", "steps-per-epoch-changed",
                               fmt::format("{} of {} epochs end at {} of {} batches ({:.0f} %), and the next epoch begins.",
                                           cut.size(), loop.bars.size(), FormatNumber((*least)->last),
                                           FormatNumber((*least)->total), 100 * (*least)->last / (*least)->total),
                               {cut.front()->cite, cut.back()->cite});
    finding.rank = cut.front()->rank;
    return;
  }
}

// Tables with one row per epoch that carry the global step.
void LookAtSteps(const FactView& facts, Findings& out) {
  for (const MetricTable& table : facts.tables()) {
    std::vector<std::size_t> ends;
    bool sound = table.row_count() >= 5 && !table.step_is_position;
    for (std::size_t i = 0; i < table.row_count() && sound; ++i) {
      const MetricRow& row = table.row(i);
      const bool whole = !std::isnan(row.epoch) && row.epoch == std::floor(row.epoch) && row.step != kNoStep && row.attempt == 0;
      sound = whole && (ends.empty() || row.epoch == table.row(ends.back()).epoch + 1) &&
              (ends.empty() || row.step > table.row(ends.back()).step);
      ends.push_back(i);
    }
    if (!sound) continue;
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 1; i < ends.size(); ++i) lengths.push_back(table.row(ends[i]).step - table.row(ends[i - 1]).step);
    // A new length that stays: the last epoch may be cut short by the plan.
    const std::int64_t first = lengths.front();
    const std::int64_t later = lengths[lengths.size() - 2];
    const auto changed = std::find_if(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n != first; });
    const bool stays = std::all_of(changed, lengths.end() - 1, [&](std::int64_t n) { return n == later; });
    if (lengths.size() < 4 || first <= 20 || !stays || static_cast<double>(later) > 0.98 * static_cast<double>(first)) continue;
    const std::size_t row = ends[static_cast<std::size_t>(changed - lengths.begin()) + 1];
    Finding& finding =
        AddAt(out, "epoch-length", table, row, "steps-per-epoch-changed",
              fmt::format("The epochs had {} steps at first and have {} from {} on.", first, later, PlaceOf(table, row)));
    finding.cites.push_back(table.Cite(ends.front()));
  }
}

void LookForSubset(const FactView& facts, Findings& out) {
  constexpr std::array<std::string_view, 10> kLimits{
      "limit_train_batches", "limit_val_batches", "overfit_batches", "max_train_samples", "max_eval_samples",
      "max_val_samples",     "max_samples",       "train_subset",    "data_fraction",     "subset_fraction"};
  for (const std::string_view name : kLimits) {
    for (const ConfigValue* value : facts.Config(name)) {
      const auto number = ParseNumber(Trim(value->value));
      // 1.0 is "all of it" and 1 one batch; 0, null and -1 switch the limit off.
      if (!number || *number <= 0 || Trim(value->value) == "1.0") continue;
      out.Add("epoch-length", "subset-left-on",
              fmt::format("Only a part of the data is used ({}={}).", Printable(value->key, 80), Printable(value->value, 40)),
              {value->cite});
    }
  }
  for (const ConfigValue* value : facts.Config("fast_dev_run")) {
    if (SaysNo(value->value)) continue;
    out.Add("epoch-length", "subset-left-on",
            fmt::format("A development run is configured ({}={}).", Printable(value->key, 80), Printable(value->value, 40)),
            {value->cite});
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtBars(facts, out);
  LookAtSteps(facts, out);
  LookForSubset(facts, out);
}

}  // namespace

extern const Rule epoch_length;
constinit const Rule epoch_length{
    .id = "epoch-length",
    .title = "Whether every epoch goes through all of the data",
    .looks_at = "progress bars, steps per epoch, and configured limits of batches or samples",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
