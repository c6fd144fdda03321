// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "reasoning/evaluations.h"
#include "reasoning/rules/rule.h"

// One quantity in two ways: a value and the run's own recomputation of it, an average over classes beside the plain accuracy.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"two-values-printed", "undefined-drags-average"};

constexpr double kDiffers = 1e-3;     // relative: beyond what printing rounds
constexpr std::uint64_t kNear = 400;  // bytes between a value and its recomputation

// Each form of the line has groups of its own.
std::string_view Either(const SignatureHit& hit, std::string_view one, std::string_view other) {
  return hit.Capture(one).empty() ? hit.Capture(other) : hit.Capture(one);
}

std::string_view Family(std::string_view metric) {
  for (const std::string_view family : {"loss", "acc", "f1", "auc", "bleu", "iou", "map", "ppl", "perplexity", "rmse", "mae"}) {
    if (ContainsIgnoreCase(metric, family)) return family;
  }
  return {};
}

struct Pair {
  double logged = 0;
  double other = 0;
  Citation logged_cite;
  Citation other_cite;
  std::string metric;
};

std::vector<Pair> Pairs(const FactView& facts) {
  std::vector<Pair> pairs;
  for (const SignatureHit* hit : facts.Hits("value-recomputed")) {
    const auto other = ParseNumber(Either(*hit, "other_value", "other_value_behind"));
    const std::string metric = Printable(Either(*hit, "metric", "metric_behind"), 40);
    if (!other || !std::isfinite(*other)) continue;
    if (const auto logged = ParseNumber(hit->Capture("logged_value")); logged && std::isfinite(*logged)) {
      pairs.push_back({*logged, *other, hit->cite, hit->cite, metric});
      continue;
    }
    // The nearest value of the same kind before it: a line that says it is the logged one, else an evaluation's own column.
    std::optional<Pair> nearest;
    for (const SignatureHit* logged : facts.Hits("value-logged")) {
      const bool near = logged->cite.source == hit->cite.source && logged->cite.begin < hit->cite.begin &&
                        hit->cite.begin - logged->cite.end <= kNear;
      const auto value = ParseNumber(logged->Capture("logged_value"));
      if (near && value && Family(Either(*logged, "metric", "metric_behind")) == Family(metric))
        nearest = Pair{*value, *other, logged->cite, hit->cite, metric};
    }
    for (const MetricTable& table : facts.tables()) {
      if (nearest || table.source != hit->cite.source) continue;
      for (std::size_t c = 0; c < table.columns().size(); ++c) {
        if (!NameIsEvaluation(table.columns()[c].name) || Family(table.columns()[c].name) != Family(metric)) continue;
        for (std::size_t i = 0; i < table.row_count(); ++i) {
          const auto value = table.At(i, c);
          if (!value || table.row(i).offset >= hit->cite.begin || hit->cite.begin - table.row(i).offset > kNear) continue;
          nearest = Pair{*value, *other, table.Cite(i), hit->cite, metric};
        }
      }
    }
    if (nearest && !Family(metric).empty()) pairs.push_back(*nearest);
  }
  return pairs;
}

void LookAtPairs(const FactView& facts, Findings& out) {
  const std::vector<Pair> pairs = Pairs(facts);
  if (pairs.empty()) {
    out.NotChecked("two-values-printed", "the run does not print a recomputed value beside a logged one");
    return;
  }
  std::vector<Citation> cites;
  const Pair* worst = nullptr;
  std::size_t differs = 0;
  for (const Pair& p : pairs) {
    const double relative = std::abs(p.logged - p.other) / std::max({std::abs(p.logged), std::abs(p.other), 1e-12});
    const double rounding = std::pow(10, -std::min(Decimals(p.logged), Decimals(p.other)));
    if (relative <= kDiffers || std::abs(p.logged - p.other) <= rounding) continue;
    ++differs;
    if (cites.size() < 6) {
      cites.push_back(p.logged_cite);
      cites.push_back(p.other_cite);
    }
    if (worst == nullptr || std::abs(p.logged - p.other) > std::abs(worst->logged - worst->other)) worst = &p;
  }
  if (worst == nullptr || differs * 2 <= pairs.size()) return;
  out.Add("metric-twice", "two-values-printed",
          fmt::format("The run prints {} and {} for one {}, and the two differ in {} of {} places.", FormatNumber(worst->logged),
                      FormatNumber(worst->other), worst->metric, differs, pairs.size()),
          std::move(cites));
}

// An average over classes far below the accuracy of the same rows, while the library says to the end that classes without a
// prediction count as zero.
void LookAtAverages(const FactView& facts, Findings& out) {
  const std::vector<const SignatureHit*> warnings = facts.Hits("metric-ill-defined");
  if (warnings.empty()) return;
  for (const Score& average : ScoresOf(facts)) {
    if (!ContainsIgnoreCase(average.name, "macro") || average.series.size() < 3) continue;
    const auto accuracy = average.table->Find(Metric::kEvalAccuracy) ? average.table->Find(Metric::kEvalAccuracy)
                                                                     : average.table->Find(Metric::kAccuracy);
    if (!accuracy || *accuracy == average.column || ContainsIgnoreCase(average.table->columns()[*accuracy].name, "macro"))
      continue;
    const std::size_t last = average.series.back().row;
    const std::size_t before = average.series[average.series.size() - 2].row;
    const auto plain = average.table->At(last, *accuracy);
    if (!plain || *plain < 0.7 || *plain > 1 || !(average.series.back().value < 0.75 * *plain)) continue;
    const SignatureHit* late = nullptr;
    for (const SignatureHit* hit : warnings) {
      if (hit->cite.source == average.table->source && hit->cite.begin > average.table->row(before).offset) late = hit;
    }
    if (late == nullptr) continue;
    out.Add("metric-twice", "undefined-drags-average",
            fmt::format("{} is {} at the last evaluation and the accuracy {}, while undefined classes are counted as zero.",
                        average.name, FormatNumber(average.series.back().value), FormatNumber(*plain)),
            {average.table->Cite(last), late->cite});
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtPairs(facts, out);
  LookAtAverages(facts, out);
}

}  // namespace

extern const Rule metric_twice;
constinit const Rule metric_twice{
    .id = "metric-twice",
    .title = "One quantity printed in two ways",
    .looks_at = "values that a run recomputes itself, and averages over classes beside accuracies",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
