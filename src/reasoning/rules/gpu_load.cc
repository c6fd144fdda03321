// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/gpu_samples.h"
#include "reasoning/rules/rule.h"
#include "reasoning/series.h"

// How busy the devices were while the run trained.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"gpu-util-low", "gpu-sawtooth"};

constexpr std::size_t kEnough = 30;
constexpr double kLowMean = 80;  // percent
constexpr double kIdle = 10;
constexpr double kBusy = 70;

struct Use {
  std::vector<double> percent;
  std::vector<Citation> cites;
  std::string of;  // "device 0"
};

std::vector<Use> Uses(const FactView& facts) {
  std::vector<Use> uses;
  for (const auto& [index, samples] : GpuSamples(facts)) {
    Use use{.of = fmt::format("device {}", index)};
    for (const GpuSample& s : DuringTraining(facts, samples)) {
      if (!s.Has("utilisation")) continue;
      use.percent.push_back(s.Value("utilisation", 0));
      use.cites.push_back(s.cite);
    }
    uses.push_back(std::move(use));
  }
  for (const MetricTable& table : facts.tables()) {
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      if (table.columns()[c].metric != Metric::kUtilisation) continue;
      Use use{.of = Printable(table.columns()[c].name, 60)};
      for (const SeriesPoint& p : Series(table, c)) {
        if (!std::isfinite(p.value)) continue;
        use.percent.push_back(p.value);
        use.cites.push_back(table.Cite(p.row));
      }
      uses.push_back(std::move(use));
    }
  }
  return uses;
}

// Falls below kIdle and rises above kBusy again and again. Returns the places where it rises.
std::vector<std::size_t> Rises(const std::vector<double>& percent) {
  std::vector<std::size_t> rises;
  bool idle = false;
  for (std::size_t i = 0; i < percent.size(); ++i) {
    if (percent[i] < kIdle) idle = true;
    if (percent[i] > kBusy && idle) {
      rises.push_back(i);
      idle = false;
    }
  }
  return rises;
}

// The distances between the rises are alike: a loader has a rhythm, evaluations and saves are rare.
bool IsPeriodic(const std::vector<std::size_t>& rises) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < rises.size(); ++i) gaps.push_back(static_cast<double>(rises[i] - rises[i - 1]));
  if (gaps.size() < 5) return false;
  return MedianAbsoluteDeviation(gaps) <= std::max(1.0, 0.5 * Median(gaps));
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<Use> uses = Uses(facts);
  bool enough = false;
  for (const Use& use : uses) {
    const std::size_t n = use.percent.size();
    if (n < kEnough) continue;
    enough = true;
    double mean = 0;
    for (const double p : use.percent) mean += p / static_cast<double>(n);
    const auto idle =
        static_cast<std::size_t>(std::count_if(use.percent.begin(), use.percent.end(), [](double p) { return p < kIdle; }));
    if (idle == n) continue;  // never used: a question of its own
    if (mean < kLowMean) {
      out.Add("gpu-load", "gpu-util-low", fmt::format("The mean utilisation of {} is {:.0f} % over {} samples.", use.of, mean, n),
              {use.cites.front(), use.cites[n / 2], use.cites.back()});
    }
    const std::vector<std::size_t> rises = Rises(use.percent);
    if (idle * 4 < n || !IsPeriodic(rises) || LooksLikeReinforcementOrAdversary(facts)) continue;
    out.Add(
        "gpu-load", "gpu-sawtooth",
        fmt::format(
            "The utilisation of {} rose {} times from below {:.0f} % to above {:.0f} %, and was below it in {} of {} samples.",
            use.of, rises.size(), kIdle, kBusy, idle, n),
        {use.cites[rises[0] - 1], use.cites[rises[0]], use.cites[rises[1] - 1], use.cites[rises[1]]});
  }
  if (enough) return;
  for (const std::string_view id : kYields) out.NotChecked(id, "there are no 30 samples of the utilisation of a device");
}

}  // namespace

extern const Rule gpu_load;
constinit const Rule gpu_load{
    .id = "gpu-load",
    .title = "How busy the devices were",
    .looks_at = "repeated readings of the utilisation, saved beside the run or logged by a tracker",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
