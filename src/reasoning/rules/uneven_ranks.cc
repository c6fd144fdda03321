// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"dataset-unsized", "rank-behind"};

// The framework's own comparison of all ranks names one that lags.
void LookAtLaggingRank(const FactView& facts, Findings& out) {
  for (const SignatureHit* hit : facts.Hits("desync-report")) {
    const std::string_view lagging = Trim(hit->Capture("lagging"));
    if (lagging.empty() || lagging.find(',') != std::string_view::npos) continue;
    Finding& finding =
        out.Add("uneven-ranks", "rank-behind", fmt::format("Rank {} alone lags behind the others.", lagging), {hit->cite});
    finding.time = hit->time;
  }
}

struct RankEnd {
  int rank;
  std::int64_t step;
  Citation cite;
};

// Where every rank logs its steps, one that made fewer than all the others.
void LookAtLastSteps(const FactView& facts, Findings& out) {
  std::map<int, RankEnd> ends;
  for (const MetricTable& table : facts.tables()) {
    if (!table.rank || !IsTraining(table) || table.row(table.row_count() - 1).step == kNoStep) continue;
    const std::size_t last = table.row_count() - 1;
    ends.insert_or_assign(*table.rank, RankEnd{*table.rank, table.row(last).step, table.Cite(last)});
  }
  if (ends.size() < 3) return;  // of two it cannot be told which one left the other
  std::vector<RankEnd> sorted;
  for (const auto& [rank, end] : ends) sorted.push_back(end);
  std::stable_sort(sorted.begin(), sorted.end(), [](const RankEnd& a, const RankEnd& b) { return a.step < b.step; });
  if (sorted[0].step == sorted[1].step || sorted[1].step != sorted.back().step) return;
  Finding& finding =
      out.Add("uneven-ranks", "rank-behind",
              fmt::format("Rank {} made its last step at {}, all others at {}.", sorted[0].rank, sorted[0].step, sorted[1].step),
              {sorted[0].cite, sorted.back().cite});
  finding.rank = sorted[0].rank;
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtLaggingRank(facts, out);
  const Finding* timeout = out.Find("watchdog-timeout");
  if (timeout == nullptr || timeout->survived || !ExtentOfRun(facts).advanced) return;
  LookAtLastSteps(facts, out);
  for (const SignatureHit* hit : facts.Hits("dataset-without-length")) {
    out.Add("uneven-ranks", "dataset-unsized",
            fmt::format("The data set has no length that would give every rank as many batches: {}.",
                        Printable(WithoutStop(hit->quote), 120)),
            {hit->cite});
  }
  constexpr std::array<std::string_view, 4> kKeys{"streaming", "iterable", "kind", "dataset_type"};
  for (const std::string_view key : kKeys) {
    for (const ConfigValue* value : facts.Config(key)) {
      const std::string lower = ToLower(value->value);
      const bool says =
          key == "streaming" || key == "iterable" ? lower == "true" || lower == "1" : lower.find("iterable") != std::string::npos;
      if (says) {
        out.Add("uneven-ranks", "dataset-unsized",
                fmt::format("{} is {}: such a data set has no length that would give every rank as many batches.", value->key,
                            Printable(value->value, 60)),
                {value->cite});
      }
    }
  }
}

}  // namespace

extern const Rule uneven_ranks;
constinit const Rule uneven_ranks{
    .id = "uneven-ranks",
    .title = "Whether the ranks can part ways, and which one lags",
    .looks_at = "last steps per rank, and data sets without a length, in runs whose collectives timed out",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
