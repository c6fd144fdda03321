// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"
#include "reasoning/series.h"
#include "reasoning/step_cost.h"

// The run against its own earlier rate. Without that reference a rate is just a number.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 5> kYields{"rate-drop", "rate-decay", "work-per-step-grew", "compile-warmup",
                                                  "first-epoch-slow-only"};

constexpr double kDrop = 1.4;
constexpr double kDecay = 1.2;
constexpr double kSigma = 1.4826;  // of the median absolute deviation

std::vector<double> Part(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end)};
}

// The split that leaves the fewest values on the wrong side of `level`: slow ones before it, fast ones after.
std::size_t SharpSplit(const std::vector<double>& cost, double level, std::size_t least) {
  auto wrong = static_cast<std::size_t>(std::count_if(cost.begin(), cost.end(), [&](double c) { return c < level; }));
  std::size_t best = 0;
  std::size_t fewest = wrong;
  for (std::size_t i = 0; i < cost.size(); ++i) {
    if (cost[i] < level) {
      --wrong;
    } else {
      ++wrong;
    }
    if (wrong < fewest) {
      fewest = wrong;
      best = i + 1;
    }
  }
  return std::clamp(best, least, cost.size() - 1);
}

// Where the slow part begins: the split whose halves differ most, judged by medians.
struct Change {
  std::size_t at = 0;  // first point of the slow part
  double before = 0;   // medians
  double last = 0;     // of the last fifth
  double spread = 0;   // of the part before
};
std::optional<Change> FindDrop(const std::vector<double>& cost) {
  const std::size_t n = cost.size();
  const std::size_t least = n >= 25 ? 5 : 3;
  if (n < 9) return std::nullopt;
  const std::size_t tail = std::max<std::size_t>(n / 5, least);
  const std::vector<double> from_begin = PrefixMedians(cost);
  const std::vector<double> from_end = PrefixMedians(std::vector<double>(cost.rbegin(), cost.rend()));
  Change best;
  double strongest = 0;
  for (std::size_t at = least; at + tail <= n; ++at) {
    const double before = from_begin[at - 1];
    const double after = from_end[n - at - 1];
    if (before <= 0) continue;
    const double weight = std::log(after / before) * std::sqrt(static_cast<double>(at) * static_cast<double>(n - at));
    if (weight > strongest) {
      strongest = weight;
      best = {.at = at, .before = before};
    }
  }
  if (strongest <= 0) return std::nullopt;
  std::vector<double> later = Part(cost, n - tail, n);
  best.last = Median(later);
  best.at = SharpSplit(cost, std::sqrt(best.before * best.last), least);
  const std::vector<double> earlier = Part(cost, 0, best.at);
  best.before = Median(earlier);
  best.spread = kSigma * MedianAbsoluteDeviation(earlier);
  // It stays slow to the end, and far outside what was usual before.
  std::sort(later.begin(), later.end());
  const bool stays = later[later.size() / 4] > 1.25 * best.before;
  if (best.last < kDrop * best.before || !stays || best.last - best.before < 3 * best.spread) return std::nullopt;
  return best;
}

// From its onset on the cost rises further and further: no single step makes up most of it.
struct Growth {
  std::size_t from = 0;
  double first = 0;
  double last = 0;
};
std::optional<Growth> FindGrowth(const std::vector<double>& cost) {
  const std::size_t n = cost.size();
  if (n < 10) return std::nullopt;
  const std::vector<double> head = Part(cost, 0, std::max<std::size_t>(n / 5, 3));
  const double base = Median(head);
  const double spread = kSigma * MedianAbsoluteDeviation(head);
  std::size_t onset = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (cost[i] <= base + std::max(3 * spread, 0.05 * base)) onset = i + 1;
  }
  for (const std::size_t from : {std::size_t{0}, onset}) {
    constexpr std::size_t kBlocks = 5;
    if (n < from + kBlocks) continue;
    if (n - from < std::max<std::size_t>(kBlocks, n / 10)) continue;
    std::array<double, kBlocks> blocks{};
    bool rises = true;
    double jump = 0;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      blocks[b] = Median(Part(cost, from + b * (n - from) / kBlocks, from + (b + 1) * (n - from) / kBlocks));
      if (b > 0) {
        rises = rises && blocks[b] > 1.01 * blocks[b - 1];
        jump = std::max(jump, blocks[b] - blocks[b - 1]);
      }
    }
    const double first = from == 0 ? blocks[0] : base;
    const double grown = blocks[kBlocks - 1] - first;
    if (rises && blocks[kBlocks - 1] >= kDecay * first && blocks[kBlocks - 1] >= kDecay * blocks[0] && grown > 5 * spread &&
        jump < 0.6 * grown) {
      return Growth{.from = from, .first = first, .last = blocks[kBlocks - 1]};
    }
  }
  return std::nullopt;
}

// Words of a column that counts what one step works on.
bool CountsWork(std::string_view name) {
  constexpr std::array<std::string_view, 16> kNames{
      "tokens", "ntokens", "num_tokens", "bsz",        "batch_size", "seq_len", "seqlen", "sequence_length",
      "length", "wpb",     "img_size",   "image_size", "resolution", "max_len", "size",   "samples"};
  const std::string lower = ToLower(name);
  return std::find(kNames.begin(), kNames.end(), lower) != kNames.end();
}

// The factor by which the work of a step grew where its time did; 1 when the run does not say.
struct Work {
  double factor = 1;
  std::string name;
  Citation cite;
};
Work WorkGrowth(const CostSeries& series, const Citation& change) {
  Work work;
  if (series.table == nullptr) return work;
  for (std::size_t c = 0; c < series.table->columns().size(); ++c) {
    if (!CountsWork(series.table->columns()[c].name)) continue;
    std::vector<double> before;
    std::vector<double> after;
    for (std::size_t i = 0; i < series.table->row_count(); ++i) {
      const auto value = series.table->At(i, c);
      if (!value || !std::isfinite(*value) || *value <= 0) continue;
      (series.table->row(i).offset < change.begin ? before : after).push_back(*value);
    }
    if (before.size() < 3 || after.size() < 3) continue;
    const double factor = Median(after) / Median(before);
    if (factor > work.factor)
      work = {
          .factor = factor, .name = series.table->columns()[c].name, .cite = series.table->Cite(series.table->row_count() - 1)};
  }
  return work;
}

// A line that announces another phase of the plan close to the change: frozen layers that are trained from here on, a larger
// image, a larger batch.
const SignatureHit* PlannedChange(const FactView& facts, const std::vector<CostPoint>& points, std::size_t at) {
  const std::uint64_t from = points[at >= 2 ? at - 2 : 0].cite.begin;
  const std::uint64_t to = points[std::min(at + 1, points.size() - 1)].cite.end;
  for (const SignatureHit* hit : facts.Hits("planned-phase")) {
    if (hit->cite.source == points[at].cite.source && hit->cite.begin >= from && hit->cite.begin <= to) return hit;
  }
  return nullptr;
}

bool Compiles(const FactView& facts) {
  constexpr std::array<std::string_view, 5> kNames{"compile", "torch_compile", "use_compile", "compile_model", "jit_compile"};
  const ConfigValue* value = facts.FirstConfig(kNames);
  return (value != nullptr && SaysYes(value->value)) || !facts.Hits("recompile-reason").empty() ||
         !facts.HitsFor("recompile-lines").empty();
}

void LookAtStart(const FactView& facts, const CostSeries& series, Findings& out) {
  const std::vector<double> cost = Seconds(series.points);
  if (cost.size() < 12) return;
  const double steady = Median(Part(cost, cost.size() / 2, cost.size()));
  std::size_t slow = 0;
  while (slow < cost.size() && cost[slow] > 1.5 * steady) ++slow;
  const bool stays =
      std::none_of(cost.begin() + static_cast<std::ptrdiff_t>(slow), cost.end(), [&](double c) { return c > 1.5 * steady; });
  if (slow == 0 || slow * 5 > cost.size() || !stays || !Compiles(facts)) return;
  out.Add(
      "step-rate", "compile-warmup",
      fmt::format("Only the first {} slow ({} at first, {} from {} on), while the run compiled.",
                  Plural(slow * series.rows_per_point, "logged value") + (slow * series.rows_per_point == 1 ? " was" : " were"),
                  CostText(series, cost[0]), CostText(series, steady), series.points[slow].place),
      {series.points[0].cite, series.points[slow].cite});
}

void LookAtEpochs(const CostSeries& series, Findings& out) {
  if (series.what != "time per epoch" || series.points.size() < 4) return;
  const std::vector<double> cost = Seconds(series.points);
  const std::vector<double> later = Part(cost, 1, cost.size());
  const double usual = Median(later);
  if (cost[0] < 1.5 * usual || *std::max_element(later.begin(), later.end()) > 1.3 * usual) return;
  out.Add("step-rate", "first-epoch-slow-only",
          fmt::format("The first epoch took {} and the later ones {}.", CostText(series, cost[0]), CostText(series, usual)),
          {series.points[0].cite, series.points[1].cite});
}

void LookAtRate(const FactView& facts, const CostSeries& series, Findings& out) {
  const std::vector<CostPoint> points = AfterWarmUp(series);
  const std::vector<double> cost = Seconds(points);
  const auto drop = FindDrop(cost);
  const auto growth = FindGrowth(cost);
  if (!drop && !growth) return;
  const std::size_t at = drop ? drop->at : growth->from;
  const Work work = series.is_rate ? Work{} : WorkGrowth(series, points[at].cite);
  if (work.factor >= 1.3) {
    Finding& finding = out.Add(
        "step-rate", "work-per-step-grew",
        fmt::format("{} rose by a factor of {:.2f} together with the time.", Printable(work.name, 40), work.factor), {work.cite});
    finding.step = points[at].step != kNoStep ? std::optional(points[at].step) : std::nullopt;
  }
  if (PlannedChange(facts, points, at) != nullptr) return;
  const auto add = [&](std::string_view id, std::string statement, std::size_t first, std::size_t second) {
    Finding& finding =
        out.Add("step-rate", id, std::move(statement), {points[first].cite, points[second].cite, points.back().cite});
    if (points[second].step != kNoStep) finding.step = points[second].step;
  };
  if (drop && drop->last / work.factor >= kDrop * drop->before) {
    add("rate-drop",
        fmt::format("The {} was {} until {} and is {} in the last fifth of the run, slower by a factor of {:.2f}.", series.what,
                    CostText(series, drop->before), points[drop->at - 1].place, CostText(series, drop->last),
                    drop->last / drop->before),
        drop->at - 1, drop->at);
  }
  if (growth && growth->last / work.factor >= kDecay * growth->first) {
    add("rate-decay",
        fmt::format("The {} goes from {} to {}, slower and slower from {} to the end.", series.what,
                    CostText(series, growth->first), CostText(series, growth->last), points[growth->from].place),
        growth->from, std::min(growth->from + 1, points.size() - 1));
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<CostSeries> all = CostsOf(facts);
  // Rollouts of a policy and their environments have no steady rate.
  if (all.empty() || LooksLikeReinforcementOrAdversary(facts)) {
    for (const std::string_view id : {"rate-drop", "rate-decay"}) {
      out.NotChecked(id, all.empty() ? "the run logged no times, rates or clocks"
                                     : "the work of a step changes with the policy or the phase");
    }
    return;
  }
  // One view of the speed is enough, and the most direct one counts: two logs of one run agree, or one of them holds more than
  // steps.
  const CostSeries& series = all.front();
  LookAtRate(facts, series, out);
  // What became slow later was not slow at its start alone.
  if (!out.Has("rate-drop") && !out.Has("rate-decay")) LookAtStart(facts, series, out);
  LookAtEpochs(series, out);
}

}  // namespace

extern const Rule step_rate;
constinit const Rule step_rate{
    .id = "step-rate",
    .title = "The run against its own earlier rate",
    .looks_at = "step times, rates, clocks and progress bars of the last attempt",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
