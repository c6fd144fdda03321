// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"one-rank-first", "all-ranks-together"};
constexpr double kClock = 1;  // seconds; ranks of one log share a clock or nearly so

struct First {
  double when;  // step of a series, or seconds of an exception
  std::string sign;
  Citation cite;
};

// The first non-finite loss or norm of every rank that writes the same series.
std::map<int, First> BySeries(const FactView& facts, std::size_t& ranks) {
  std::map<int, First> first;
  std::map<int, bool> seen;
  for (const MetricTable& table : facts.tables()) {
    if (!table.rank || table.step_is_position) continue;
    for (const Metric metric : {Metric::kLoss, Metric::kGradNorm}) {
      const Series series = SeriesOf(table, metric);
      if (!series.empty()) seen[*table.rank] = true;
      for (const SeriesPoint& p : series) {
        if (std::isfinite(p.value) || table.row(p.row).step == kNoStep) continue;
        const double step = static_cast<double>(table.row(p.row).step);
        const auto known = first.find(*table.rank);
        if (known == first.end() || step < known->second.when) {
          first.insert_or_assign(*table.rank,
                                 First{step, fmt::format("a non-finite value at {}", PlaceOf(table, p.row)), table.Cite(p.row)});
        }
        break;
      }
    }
  }
  ranks = seen.size();
  return first;
}

// The exception that ended every rank, by the time that its log printed.
std::map<int, First> ByException(const FactView& facts, std::size_t& ranks) {
  std::map<int, First> first;
  for (const Traceback& t : facts.All<Traceback>()) {
    if (!t.rank || !t.time || !t.last || t.exception.empty()) continue;
    const auto known = first.find(*t.rank);
    if (known != first.end() && known->second.when <= t.time->seconds) continue;
    first.insert_or_assign(*t.rank, First{t.time->seconds, Printable(t.exception, 60), t.exception_cite});
  }
  ranks = first.size();
  return first;
}

void Judge(const std::map<int, First>& first, std::size_t ranks, double tolerance, Findings& out) {
  if (ranks < 2 || first.empty()) return;
  std::vector<std::pair<double, int>> order;
  for (const auto& [rank, f] : first) order.emplace_back(f.when, rank);
  std::sort(order.begin(), order.end());
  const First& one = first.at(order.front().second);
  const bool alone = order.size() == 1 || order[1].first - order[0].first > tolerance;
  if (alone) {
    std::vector<Citation> cites{one.cite};
    if (order.size() > 1) cites.push_back(first.at(order[1].second).cite);
    Finding& finding = out.Add("first-rank", "one-rank-first",
                               fmt::format("Rank {} showed the first sign ({}), before the other {} that were read.",
                                           order.front().second, one.sign, Plural(ranks - 1, "rank")),
                               std::move(cites));
    if (!finding.rank) finding.rank = order.front().second;
  } else if (order.size() == ranks && order.back().first - order.front().first <= tolerance) {
    out.Add("first-rank", "all-ranks-together",
            fmt::format("All {} ranks that were read showed the first sign together ({}).", ranks, one.sign),
            {one.cite, first.at(order.back().second).cite});
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  std::size_t ranks = 0;
  const std::map<int, First> series = BySeries(facts, ranks);
  if (!series.empty()) return Judge(series, ranks, 0, out);
  const std::map<int, First> exceptions = ByException(facts, ranks);
  if (exceptions.empty()) {
    const bool several = std::any_of(facts.All<LogShape>().begin(), facts.All<LogShape>().end(),
                                     [](const LogShape& s) { return s.ranks.size() > 1; });
    if (several) out.NotChecked("one-rank-first", "the ranks of the log print neither values nor times of their own");
    return;
  }
  Judge(exceptions, ranks, kClock, out);
}

}  // namespace

extern const Rule first_rank;
constinit const Rule first_rank{
    .id = "first-rank",
    .title = "Which rank showed the first sign",
    .looks_at = "loss and norm per rank, and the time of the exception of every rank",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
