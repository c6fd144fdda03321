// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/whole_number.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"
#include "reasoning/run_identity.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"bad-step-fixed", "bad-step-moves", "fp32-clean"};
constexpr std::array<std::string_view, 1> kAsks{"fp16-in-use"};

// Where a loss or norm of one attempt became non-finite and stayed so.
struct Break {
  const MetricTable* table;
  std::size_t row;
  std::int64_t step;
  std::int64_t interval;  // steps between logged rows
};

std::vector<Break> BreaksOf(const MetricTable& table) {
  std::vector<Break> breaks;
  if (table.step_is_position) return breaks;
  std::map<std::uint32_t, std::optional<std::size_t>> first;
  for (const Metric metric : {Metric::kLoss, Metric::kGradNorm}) {
    if (metric == Metric::kGradNorm && !first.empty()) break;
    for (const SeriesPoint& p : SeriesOf(table, metric)) {
      std::optional<std::size_t>& at = first[table.row(p.row).attempt];
      if (std::isfinite(p.value)) {
        at.reset();
      } else if (!at) {
        at = p.row;
      }
    }
  }
  std::int64_t least = 0;  // distance of two rows, where it is known
  for (std::size_t i = 1; i < table.row_count(); ++i) {
    if (table.row(i).step == kNoStep || table.row(i - 1).step == kNoStep) continue;
    const std::int64_t d = table.row(i).step - table.row(i - 1).step;
    if (d > 0) least = least == 0 ? d : std::min(least, d);
  }
  const std::int64_t interval = least == 0 ? 1 : least;
  for (const auto& [attempt, row] : first) {
    if (row && table.row(*row).step != kNoStep) breaks.push_back({&table, *row, table.row(*row).step, interval});
  }
  return breaks;
}

// The last step that the same log printed before this place.
std::optional<std::int64_t> StepBefore(const FactView& facts, const Citation& cite) {
  std::optional<std::int64_t> step;
  for (const MetricTable& table : facts.tables()) {
    if (table.source != cite.source || table.step_is_position) continue;
    const std::size_t rows = RowsBefore(table, cite.begin);
    if (rows > 0 && table.row(rows - 1).step != kNoStep) step = std::max(step.value_or(0), table.row(rows - 1).step);
  }
  return step;
}

// An elastic launcher starts the ranks again, and they end by the same exception at the same step.
void LookAtExceptions(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  const Traceback* last = end.first();
  if (last == nullptr || last->frames.empty()) return;
  const auto step = StepBefore(facts, last->cite);
  if (!step) return;
  std::vector<Citation> cites{last->exception_cite};
  std::uint64_t attempts = 1;
  for (const Traceback& t : facts.All<Traceback>()) {
    const bool same = end.Of(t) == Standing::kFormerAttempt && t.exception == last->exception && !t.frames.empty() &&
                      t.frames.back().file == last->frames.back().file && t.frames.back().line == last->frames.back().line &&
                      t.rank == last->rank;
    if (!same) continue;
    if (StepBefore(facts, t.cite) != step) return;
    ++attempts;
    cites.push_back(t.exception_cite);
  }
  if (attempts < 2) return;
  out.Add("attempts", "bad-step-fixed", fmt::format("{} attempts ended by the same exception after step {}.", attempts, *step),
          std::move(cites));
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtExceptions(facts, out);
  // Attempts are parts of one log, or other runs of the project that were meant to be this one.
  std::vector<Break> breaks;
  for (const MetricTable& table : facts.tables()) {
    const std::vector<Break> own = BreaksOf(table);
    if (own.size() > breaks.size()) breaks = own;
  }
  for (const auto& sibling : facts.siblings()) {
    const FactView other(sibling->facts);
    const Comparison comparison = Compare(facts, other);
    if (breaks.empty()) break;
    if (comparison.same_settings) {
      for (const MetricTable& table : other.tables()) {
        if (table.writer != breaks.front().table->writer) continue;
        for (const Break& b : BreaksOf(table)) breaks.push_back(b);
      }
    }
    // The same run in a wider type that went on beyond the step.
    const bool only_type =
        comparison.common >= 3 && !comparison.different.empty() &&
        std::all_of(comparison.different.begin(), comparison.different.end(), [](const Difference& d) { return d.is_precision; });
    if (!only_type || !SaysNarrow(comparison.different) || !out.Has("fp16-in-use")) continue;
    for (const MetricTable& table : other.tables()) {
      if (table.writer != breaks.front().table->writer || !BreaksOf(table).empty() || table.row_count() == 0) continue;
      const std::size_t last = table.row_count() - 1;
      if (table.row(last).step == kNoStep || table.row(last).step <= breaks.front().step) continue;
      out.Add("attempts", "fp32-clean",
              fmt::format("Run {} differs in the number type only and went on to {}, beyond step {}.", Printable(sibling->id, 60),
                          PlaceOf(table, last), breaks.front().step),
              {table.Cite(last), breaks.front().table->Cite(breaks.front().row)});
    }
  }
  if (breaks.size() < 2) return;
  const auto [least, most] =
      std::minmax_element(breaks.begin(), breaks.end(), [](const Break& a, const Break& b) { return a.step < b.step; });
  const std::vector<Citation> cites{least->table->Cite(least->row), most->table->Cite(most->row)};
  if (least->step == most->step) {
    out.Add("attempts", "bad-step-fixed", fmt::format("{} attempts broke at the same step {}.", breaks.size(), least->step),
            cites);
  } else if (most->step - least->step > std::max(least->interval, most->interval)) {
    out.Add("attempts", "bad-step-moves",
            fmt::format("{} attempts of one configuration broke at different steps, between {} and {}.", breaks.size(),
                        least->step, most->step),
            cites);
  }
}

}  // namespace

extern const Rule attempts;
constinit const Rule attempts{
    .id = "attempts",
    .title = "Whether several attempts broke at the same step",
    .looks_at = "loss and norm of every attempt of this run, and of runs of the project with the same settings",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
