// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/series.h"

// The loss of this run over that of another run which differs in accumulation, ranks or batch only: a whole number that is the
// ratio of just that setting is no chance.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"loss-ratio-integer"};

constexpr std::size_t kEnough = 20;
constexpr double kTolerance = 0.02;

constexpr std::array<std::string_view, 16> kFactors{"gradient_accumulation_steps",
                                                    "accumulate_grad_batches",
                                                    "accumulation_steps",
                                                    "grad_accum",
                                                    "update_freq",
                                                    "accum_iter",
                                                    "accum_steps",
                                                    "gradient_accumulation",
                                                    "world_size",
                                                    "num_processes",
                                                    "nproc_per_node",
                                                    "devices",
                                                    "per_device_train_batch_size",
                                                    "micro_batch_size",
                                                    "batch_size",
                                                    "train_micro_batch_size_per_gpu"};

std::optional<double> Setting(const FactView& facts, std::string_view name, Citation& cite) {
  const std::vector<const ConfigValue*> values = facts.Config(name);
  if (!values.empty()) {
    cite = values.front()->cite;
    return ParseNumber(Trim(values.front()->value));
  }
  if (name != "gradient_accumulation_steps") return std::nullopt;
  for (const SignatureHit* hit : facts.Hits("planned-length")) {
    if (hit->Capture("accumulation_count").empty()) continue;
    cite = hit->cite;
    return ParseNumber(hit->Capture("accumulation_count"));
  }
  return std::nullopt;
}

struct Ratio {
  double median = 0;
  std::size_t count = 0;
  std::vector<Citation> cites;
};
// Losses at equal steps or epochs, one over the other; all of them alike.
std::optional<Ratio> LossRatio(const FactView& facts, const FactView& other) {
  for (const MetricTable& a : facts.tables()) {
    const auto loss_a = FullestColumn(a, Metric::kLoss);
    if (!loss_a) continue;
    for (const MetricTable& b : other.tables()) {
      const auto loss_b = FullestColumn(b, Metric::kLoss);
      if (!loss_b || a.writer != b.writer) continue;
      std::map<std::pair<std::int64_t, double>, std::size_t> places;
      const auto place = [](const MetricTable& t, std::size_t i) {
        return std::pair{t.row(i).step, std::isnan(t.row(i).epoch) ? -1.0 : t.row(i).epoch};
      };
      for (std::size_t i = 0; i < b.row_count(); ++i) {
        if (b.At(i, *loss_b)) places[place(b, i)] = i;
      }
      Ratio ratio;
      std::vector<double> ratios;
      for (std::size_t i = 0; i < a.row_count(); ++i) {
        const auto x = a.At(i, *loss_a);
        const auto it = places.find(place(a, i));
        if (!x || it == places.end()) continue;
        const auto y = b.At(it->second, *loss_b);
        if (!std::isfinite(*x) || !std::isfinite(*y) || *x <= 0 || *y <= 0) continue;
        ratios.push_back(*x / *y);
        if (ratio.cites.size() < 4) {
          ratio.cites.push_back(a.Cite(i));
          ratio.cites.push_back(b.Cite(it->second));
        }
      }
      if (ratios.size() < kEnough) continue;
      ratio.median = Median(ratios);
      ratio.count = ratios.size();
      const auto near =
          std::count_if(ratios.begin(), ratios.end(), [&](double r) { return std::abs(r - ratio.median) < 0.1 * ratio.median; });
      if (static_cast<std::size_t>(near) * 10 >= ratios.size() * 9) return ratio;
    }
  }
  return std::nullopt;
}

void Evaluate(const FactView& facts, Findings& out) {
  if (facts.siblings().empty()) {
    out.NotChecked("loss-ratio-integer", "the project holds no other run to compare with");
    return;
  }
  for (const auto& sibling : facts.siblings()) {
    const FactView other(sibling->facts);
    const auto ratio = LossRatio(facts, other);
    if (!ratio) continue;
    const double factor = ratio->median >= 1 ? ratio->median : 1 / ratio->median;
    const double whole = std::round(factor);
    if (whole < 2 || std::abs(factor - whole) > kTolerance * whole) continue;
    for (const std::string_view name : kFactors) {
      Citation own_cite;
      Citation other_cite;
      const auto mine = Setting(facts, name, own_cite);
      const auto theirs = Setting(other, name, other_cite);
      if (!mine || !theirs || *mine <= 0 || *theirs <= 0) continue;
      // The run with the smaller setting is the reference: with 1 there is nothing to multiply.
      if (std::abs(*mine / *theirs - whole) > 1e-9) continue;
      std::vector<Citation> cites = ratio->cites;
      cites.push_back(own_cite);
      cites.push_back(other_cite);
      out.Add(
          "loss-ratio", "loss-ratio-integer",
          fmt::format("The loss is {:.2f} times that of {} over {} logged values, and {} is {} here and {} there.", ratio->median,
                      Printable(sibling->id, 80), ratio->count, name, FormatNumber(*mine), FormatNumber(*theirs)),
          std::move(cites));
      return;
    }
  }
}

}  // namespace

extern const Rule loss_ratio;
constinit const Rule loss_ratio{
    .id = "loss-ratio",
    .title = "Losses that differ from another run's by a whole factor",
    .looks_at = "losses of this run and of its siblings at equal steps, accumulation, ranks and batch sizes",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
