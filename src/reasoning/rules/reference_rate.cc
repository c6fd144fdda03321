// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/same_work.h"
#include "reasoning/step_cost.h"

// The run against other runs of the project that did the same work.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"rate-low-vs-reference"};

constexpr double kSlower = 1.3;

std::string DeviceModel(const FactView& facts) {
  for (const SignatureHit* hit : facts.Hits("device-model")) {
    for (const std::string_view name : {"model", "gpu_model", "tf_model"}) {
      if (!hit->Capture(name).empty()) return std::string(Trim(hit->Capture(name)));
    }
  }
  for (const Reading& reading : facts.All<Reading>()) {
    if (reading.name == "gpu.0.name") return reading.text;
  }
  return {};
}

// The same measure of the same writer.
const CostSeries* Match(const std::vector<CostSeries>& all, const CostSeries& wanted) {
  for (const CostSeries& series : all) {
    const bool same_writer = (series.table == nullptr) == (wanted.table == nullptr) &&
                             (series.table == nullptr || series.table->writer == wanted.table->writer);
    if (series.measure == wanted.measure && series.what == wanted.what && same_writer) return &series;
  }
  return nullptr;
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<CostSeries> own = CostsOf(facts);
  if (own.empty() || facts.siblings().empty()) {
    out.NotChecked("rate-low-vs-reference",
                   own.empty() ? "the run logged no times, rates or clocks" : "the project holds no other run to compare with");
    return;
  }
  const std::string model = DeviceModel(facts);
  bool compared = false;
  for (const CostSeries& mine : own) {
    const std::vector<CostPoint> points = AfterWarmUp(mine);
    const double cost = Median(Seconds(points));
    struct Reference {
      double cost;
      double spread;
      std::string id;
      std::vector<Citation> cites;
    };
    std::vector<Reference> references;
    for (const auto& sibling : facts.siblings()) {
      const FactView other(sibling->facts);
      const SameWork same = CompareWork(facts, other);
      if (!same) continue;
      const std::string other_model = DeviceModel(other);
      if (!model.empty() && !other_model.empty() && model != other_model) continue;
      const std::vector<CostSeries> theirs = CostsOf(other);
      const CostSeries* match = Match(theirs, mine);
      if (match == nullptr) continue;
      compared = true;
      const std::vector<CostPoint> reference = AfterWarmUp(*match);
      const std::vector<double> seconds = Seconds(reference);
      std::vector<Citation> cites = same.cites;
      cites.push_back(reference.front().cite);
      references.push_back({Median(seconds), 1.4826 * MedianAbsoluteDeviation(seconds), sibling->id, std::move(cites)});
    }
    if (references.empty()) continue;
    std::vector<double> costs;
    for (const Reference& r : references) costs.push_back(r.cost);
    const double usual = Median(costs);
    const auto nearest = std::min_element(references.begin(), references.end(), [&](const Reference& a, const Reference& b) {
      return std::abs(a.cost - usual) < std::abs(b.cost - usual);
    });
    if (cost < kSlower * usual || cost - usual < 3 * nearest->spread) return;
    std::vector<Citation> cites{points.front().cite, points.back().cite};
    cites.insert(cites.end(), nearest->cites.begin(), nearest->cites.end());
    out.Add("reference-rate", "rate-low-vs-reference",
            fmt::format("The {} is {} here and {} in {}, which did the same work: slower by a factor of {:.2f}.", mine.what,
                        CostText(mine, cost), CostText(mine, usual), Printable(nearest->id, 80), cost / usual),
            std::move(cites));
    return;
  }
  if (!compared) out.NotChecked("rate-low-vs-reference", "no other run of the project is known to have done the same work");
}

}  // namespace

extern const Rule reference_rate;
constinit const Rule reference_rate{
    .id = "reference-rate",
    .title = "The run against other runs that did the same work",
    .looks_at = "step times, rates and clocks of this run and of its siblings",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
