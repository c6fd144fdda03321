// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"

// Batches and files that the program left out because they failed, and how large a part they are. A few of them are told; many
// mean that the run did not do what was asked.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"exceptions-swallowed"};

constexpr double kWorthTelling = 0.01;
constexpr double kTooMany = 0.1;  // less is a blemish of the data and no failure of the run

Finding& Add(Findings& out, double share, std::string statement, std::vector<Citation> cites) {
  Finding& finding = out.Add("items-left-out", "exceptions-swallowed", std::move(statement), std::move(cites));
  finding.survived = share < kTooMany;
  return finding;
}

// Batches that were begun, at most: the longest position times the epochs where the count begins anew in each.
double Batches(const FactView& facts) {
  const Extent extent = ExtentOfRun(facts);
  if (!extent.advanced || !extent.last_step || *extent.last_step <= 0) return 0;
  double most = static_cast<double>(*extent.last_step);
  for (const MetricTable& table : facts.tables()) {
    std::int64_t longest = 0;
    std::size_t epochs = 1;
    for (std::size_t i = 0; i < table.row_count(); ++i) {
      if (table.row(i).step == kNoStep) continue;
      longest = std::max(longest, table.row(i).step);
      if (i > 0 && table.row(i).step < table.row(i - 1).step) ++epochs;
    }
    most = std::max(most, static_cast<double>(longest) * static_cast<double>(epochs));
  }
  return most;
}

void CountBatches(const FactView& facts, Findings& out) {
  std::uint64_t skipped = 0;
  std::vector<Citation> cites;
  for (const SignatureHit* hit : facts.Hits("item-skipped-on-error")) {
    if (hit->origin != Origin::kRunLog) continue;
    // Of a source its first hit says how many there were.
    const bool first = std::none_of(cites.begin(), cites.end(), [&](const Citation& c) { return c.source == hit->cite.source; });
    if (first) skipped += hit->count;
    if (cites.size() < 4) cites.push_back(hit->cite);
  }
  const double batches = Batches(facts);
  if (skipped < 3 || batches <= 0) return;
  const double share = static_cast<double>(skipped) / batches;
  if (share < kWorthTelling) return;
  Add(out, share,
      fmt::format("The log counts {} that were left out after an error, in {} steps.", Plural(skipped, "item"),
                  FormatNumber(batches)),
      std::move(cites));
}

// The scan of a data set before training says how many of its files it will not use. Each set is scanned once, and drawn often.
void CountFiles(const FactView& facts, Findings& out) {
  for (const SignatureHit* hit : facts.Hits("scan-summary")) {
    const auto found = ParseNumber(hit->Capture("found_count"));
    const auto corrupt = ParseNumber(hit->Capture("corrupt_count"));
    if (hit->origin != Origin::kRunLog || hit->Capture("set") != "train" || !found || !corrupt || *found <= 0) continue;
    const double share = *corrupt / std::max(*found, *corrupt);
    if (*corrupt < 3 || share < kWorthTelling) continue;
    std::vector<Citation> cites{hit->cite};
    std::string reason;
    for (const SignatureHit* file : facts.Hits("scan-ignored-file")) {
      if (!reason.empty()) break;
      cites.push_back(file->cite);
      reason = fmt::format(", the first of them for \"{}\"", Printable(file->Capture("reason"), 120));
    }
    Add(out, share,
        fmt::format("{} of {} files of the training set are ignored as corrupt{}.", FormatNumber(*corrupt), FormatNumber(*found),
                    reason),
        std::move(cites));
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  CountFiles(facts, out);
  CountBatches(facts, out);
}

}  // namespace

extern const Rule items_left_out;
constinit const Rule items_left_out{
    .id = "items-left-out",
    .title = "Batches and files that were left out because they failed",
    .looks_at = "lines in which a loop or a scan of the data says that it skips something",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
