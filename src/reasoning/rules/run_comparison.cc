// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"
#include "reasoning/run_identity.h"
#include "reasoning/run_settings.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 11> kYields{"first-diff",  "config-diff", "seed-differs", "env-diff",
                                                   "code-diff",   "data-diff",   "world-diff",   "device-diff",
                                                   "map-differs", "env-changed", "code-changed"};

constexpr std::array<std::string_view, 1> kAsks{"cpu-only-run"};

bool EndedNormally(const FactView& facts) {
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.signature->role == Role::kNormalEnd && AnnouncesEnd(hit)) return true;
  }
  return false;
}

// The run's own log: the largest text log.
const LogShape* MainLog(const FactView& facts) {
  const LogShape* main = nullptr;
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (main == nullptr || shape.bytes > main->bytes) main = &shape;
  }
  return main;
}

// Both went the same way to the same end: their logs have the same number of lines.
bool SameCourse(const FactView& ours, const FactView& theirs) {
  const LogShape* a = MainLog(ours);
  const LogShape* b = MainLog(theirs);
  if (a == nullptr || b == nullptr || a->lines < 5) return false;
  const auto [less, more] = std::minmax(a->lines, b->lines);
  return more - less <= std::max<std::uint64_t>(2, more / 100);
}

bool IsResult(Metric metric) {
  return metric == Metric::kLoss || metric == Metric::kEvalLoss || metric == Metric::kAccuracy ||
         metric == Metric::kEvalAccuracy || metric == Metric::kPerplexity;
}

struct Pair {
  std::string name;
  std::string place;
  double ours = 0;
  double theirs = 0;
  Citation our_cite;
  Citation their_cite;
};

struct Alignment {
  std::size_t common = 0;       // values that stand in both, of all compared columns
  std::size_t equal_first = 0;  // values before the first difference
  std::optional<Pair> first;
  std::optional<Pair> last;  // of the last row that both have
  double apart = 0;          // largest difference of two values, as a share of what the column usually holds
};

bool Equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Rows of the same number that name the same step or epoch: loops that log alike.
void Align(const MetricTable& ours, const MetricTable& theirs, Alignment& out) {
  if (ours.writer != theirs.writer || ours.rank != theirs.rank) return;
  std::vector<double> usual(ours.columns().size(), 0);
  for (std::size_t c = 0; c < usual.size(); ++c) {
    std::vector<double> sizes;
    for (const double value : FiniteValues(Series(ours, c))) sizes.push_back(std::abs(value));
    if (!sizes.empty()) usual[c] = Median(std::move(sizes));
  }
  for (std::size_t i = 0; i < std::min(ours.row_count(), theirs.row_count()); ++i) {
    const MetricRow& a = ours.row(i);
    const MetricRow& b = theirs.row(i);
    if (a.step != b.step || !Equal(a.epoch, b.epoch)) return;
    for (std::size_t c = 0; c < ours.columns().size(); ++c) {
      const auto other = theirs.FindName(ours.columns()[c].name);
      const auto value = ours.At(i, c);
      if (!IsResult(ours.columns()[c].metric) || !other || !value) continue;
      const auto their_value = theirs.At(i, *other);
      if (!their_value) continue;
      ++out.common;
      if (!Equal(*value, *their_value)) {
        const double share = usual[c] > 0 ? std::abs(*value - *their_value) / usual[c] : std::numeric_limits<double>::infinity();
        out.apart = std::isnan(share) ? std::numeric_limits<double>::infinity() : std::max(out.apart, share);
      }
      const Pair pair{.name = ours.columns()[c].name,
                      .place = PlaceOf(ours, i),
                      .ours = *value,
                      .theirs = *their_value,
                      .our_cite = ours.Cite(i),
                      .their_cite = theirs.Cite(i)};
      if (Equal(*value, *their_value)) {
        if (!out.first) ++out.equal_first;
      } else if (!out.first) {
        out.first = pair;
      }
      out.last = pair;
    }
  }
}

// Values that somebody printed in order to compare: sums of weights, hashes, first ids.
struct PrintedPair {
  std::string name;
  std::string ours;
  std::string theirs;
  Citation our_cite;
  Citation their_cite;
};
std::optional<PrintedPair> PrintedDifference(const FactView& ours, const FactView& theirs) {
  for (const SignatureHit* hit : ours.Hits("value-printed")) {
    for (const SignatureHit* other : theirs.Hits("value-printed")) {
      if (hit->Capture("name") != other->Capture("name")) continue;
      if (hit->Capture("value") == other->Capture("value")) break;
      return PrintedPair{std::string(hit->Capture("name")), std::string(hit->Capture("value")),
                         std::string(other->Capture("value")), hit->cite, other->cite};
    }
  }
  return std::nullopt;
}

// The seed that a configuration states which both runs share.
const ConfigValue* SharedSeed(const FactView& facts) {
  constexpr std::array<std::string_view, 4> kNames{"seed", "random_seed", "manual_seed", "global_seed"};
  return facts.FirstConfig(kNames);
}

bool FitsInDigits(double value) {
  // Four digits and more: equal values of fewer digits say little.
  const double scaled = std::abs(value) * 1000;
  return std::abs(scaled - std::round(scaled)) > 1e-6;
}

// The run, or the person who started it, was promised equal bits.
bool AsksForDeterminism(const FactView& facts) {
  constexpr std::array<std::string_view, 6> kNames{"deterministic",       "use_deterministic_algorithms",
                                                   "cudnn_deterministic", "cudnn.deterministic",
                                                   "full_determinism",    "enable_determinism"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    const std::vector<const ConfigValue*> values = facts.Config(name);
    return !values.empty() && !SaysNo(values.front()->value);
  });
}

// Sums that a device takes in no fixed order part two equal runs in their last digits, and nothing is wrong: the values stay
// together to the end. Another seed, order or initialisation moves a loss by more than this somewhere.
constexpr double kRoundingNoise = 2e-3;
bool IsRoundingNoise(const FactView& facts, const FactView& other, const Alignment& alignment, const Findings& out) {
  return alignment.first && alignment.apart <= kRoundingNoise && !AsksForDeterminism(facts) && !AsksForDeterminism(other) &&
         !out.Has("cpu-only-run");
}

void CompareResults(const FactView& facts, const FactView& other, const std::string& id, bool repeat,
                    const Comparison& comparison, Findings& out) {
  if (!facts.HitsFor("resumed-run").empty() || !other.HitsFor("resumed-run").empty()) return;
  if (!comparison.comparable || !SameCourse(facts, other)) return;
  Alignment alignment;
  for (const MetricTable& ours : facts.tables()) {
    for (const MetricTable& theirs : other.tables()) Align(ours, theirs, alignment);
  }
  const ConfigValue* shared = SharedSeed(facts);
  const bool seed = comparison.seed.has_value() || shared != nullptr;
  const bool began_alike = alignment.equal_first >= 5 && alignment.first && FitsInDigits(alignment.first->ours);
  // Meant to be equal: stated by settings and seed, by a name of repetition and a seed, or shown by the first values.
  const bool stated = comparison.same_settings && comparison.seed;
  const bool named = repeat && seed && comparison.different.empty();
  const bool shown = began_alike && (repeat || comparison.common >= 3 || comparison.seed);
  if (!stated && !named && !shown) return;
  std::vector<Citation> cites;
  std::string said;
  if (alignment.first && alignment.last) {
    const double size = std::max(std::abs(alignment.last->ours), std::abs(alignment.last->theirs));
    const bool visible = std::abs(alignment.last->ours - alignment.last->theirs) > 1e-4 * size || !std::isfinite(size);
    if (!visible || IsRoundingNoise(facts, other, alignment, out)) return;
    said = fmt::format("This run has {} {} at {}, and run {} has {}{}", alignment.first->name,
                       fmt::format("{:.9g}", alignment.first->ours), alignment.first->place, Printable(id, 60),
                       fmt::format("{:.9g}", alignment.first->theirs),
                       alignment.equal_first > 0 ? fmt::format(", after {} equal values", alignment.equal_first) : "");
    cites = {alignment.first->our_cite, alignment.first->their_cite};
  } else if (const auto printed = PrintedDifference(facts, other)) {
    said = fmt::format("This run prints {} = {}, and run {} prints {}", Printable(printed->name, 60),
                       Printable(printed->ours, 40), Printable(id, 60), Printable(printed->theirs, 40));
    cites = {printed->our_cite, printed->their_cite};
  } else {
    return;
  }
  if (comparison.seed) {
    said += fmt::format("; both state the seed {}", Printable(*comparison.seed, 20));
    cites.push_back(*comparison.seed_cite);
  } else if (shared != nullptr) {
    said += fmt::format("; the configuration states the seed {}", Printable(shared->value, 20));
    cites.push_back(shared->cite);
  }
  out.Add("run-comparison", "first-diff", said + ".", std::move(cites));
}

// `after_good`: the other run ended normally and this one did not.
void ReportDifferences(const std::string& id, const Comparison& comparison, bool after_good, Findings& out) {
  struct Kind {
    DifferenceKind kind;
    std::string_view finding;
    std::string_view what;
  };
  constexpr std::array<Kind, 5> kKinds{
      Kind{DifferenceKind::kEnvironment, "env-diff", "environments"}, Kind{DifferenceKind::kCode, "code-diff", "code"},
      Kind{DifferenceKind::kData, "data-diff", "data"}, Kind{DifferenceKind::kWorld, "world-diff", "number of processes"},
      Kind{DifferenceKind::kDevice, "device-diff", "devices"}};
  for (const Kind& kind : kKinds) {
    const std::string listed = Listed(comparison.different, kind.kind);
    if (listed.empty()) continue;
    const auto first = std::find_if(comparison.different.begin(), comparison.different.end(),
                                    [&](const Difference& d) { return d.kind == kind.kind; });
    out.Add("run-comparison", kind.finding,
            fmt::format("Against run {} the {} differ: {}.", Printable(id, 60), kind.what, listed),
            {first->our_cite, first->their_cite});
    const bool changed = kind.kind == DifferenceKind::kEnvironment || kind.kind == DifferenceKind::kCode;
    if (!after_good || !changed || !comparison.comparable) continue;
    out.Add("run-comparison", kind.kind == DifferenceKind::kCode ? "code-changed" : "env-changed",
            fmt::format("Since run {}, which ended normally, the {} changed: {}.", Printable(id, 60), kind.what, listed),
            {first->our_cite, first->their_cite});
  }
  const auto count = [&](DifferenceKind kind) {
    return std::count_if(comparison.different.begin(), comparison.different.end(),
                         [&](const Difference& d) { return d.kind == kind; });
  };
  const auto settings = count(DifferenceKind::kSetting) + count(DifferenceKind::kPrecision);
  const auto seeds = count(DifferenceKind::kSeed);
  const auto add = [&](DifferenceKind kind, std::string_view finding, std::string text) {
    const auto first = std::find_if(comparison.different.begin(), comparison.different.end(),
                                    [&](const Difference& d) { return d.kind == kind; });
    out.Add("run-comparison", finding, std::move(text), {first->our_cite, first->their_cite});
  };
  // One or two settings beside many equal ones: nearly the same experiment. More is another experiment, and no news.
  if (settings > 0 && settings <= 2 && seeds == 0 && comparison.common >= 4) {
    const DifferenceKind kind = count(DifferenceKind::kSetting) > 0 ? DifferenceKind::kSetting : DifferenceKind::kPrecision;
    add(kind, "config-diff",
        fmt::format("Run {} has other settings: {}.", Printable(id, 60), Listed(comparison.different, kind)));
  }
  if (seeds > 0 && settings == 0) {
    add(DifferenceKind::kSeed, "seed-differs",
        fmt::format("Run {} has another seed: {}.", Printable(id, 60), Listed(comparison.different, DifferenceKind::kSeed)));
  }
}

// "id2label.0 = cat" in one run and "id2label.0 = dog" in the other, with the same members.
void CompareMaps(const FactView& facts, const FactView& other, const std::string& id, Findings& out) {
  const auto read = [](const FactView& view) {
    std::map<std::string, std::pair<std::string, Citation>> map;
    for (const ConfigValue& value : view.All<ConfigValue>()) {
      if (IsClassMap(ToLower(value.key))) map.insert_or_assign(value.key, std::pair(value.value, value.cite));
    }
    return map;
  };
  const auto ours = read(facts);
  const auto theirs = read(other);
  std::multiset<std::string> our_members;
  std::multiset<std::string> their_members;
  std::optional<std::string> moved;
  if (ours.size() != theirs.size() || ours.size() < 2) return;
  for (const auto& [key, value] : ours) {
    const auto found = theirs.find(key);
    if (found == theirs.end()) return;
    our_members.insert(value.first);
    their_members.insert(found->second.first);
    if (value.first != found->second.first && !moved) moved = key;
  }
  if (!moved || our_members != their_members) return;
  out.Add("run-comparison", "map-differs",
          fmt::format("{} is {} in this run and {} in run {}, with the same members.", Printable(*moved, 60),
                      Printable(ours.at(*moved).first, 40), Printable(theirs.at(*moved).first, 40), Printable(id, 60)),
          {ours.at(*moved).second, theirs.at(*moved).second});
}

// Where the run stands among names such as "logs/run2.log".
std::string NameOf(const FactView& facts) {
  const LogShape* main = MainLog(facts);
  return main == nullptr ? std::string() : facts.source(main->source).path;
}

void Evaluate(const FactView& facts, Findings& out) {
  for (const auto& sibling : facts.siblings()) {
    const FactView other(sibling->facts);
    const Comparison comparison = Compare(facts, other);
    const bool repeat = NamesSayRepeat(NameOf(facts), NameOf(other));
    CompareResults(facts, other, sibling->id, repeat, comparison, out);
    // Other experiments of the project are no evidence about this one.
    if (!repeat && !comparison.seed && comparison.common < 4) continue;
    ReportDifferences(sibling->id, comparison, EndedNormally(other) && !EndedNormally(facts), out);
    CompareMaps(facts, other, sibling->id, out);
  }
}

}  // namespace

extern const Rule run_comparison;
constinit const Rule run_comparison{
    .id = "run-comparison",
    .title = "Whether runs that should be equal are equal, and what differs between them",
    .looks_at = "results, settings, versions, devices and printed sums of this run and of other runs of the project",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
