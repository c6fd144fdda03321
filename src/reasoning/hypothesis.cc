// SPDX-License-Identifier: Apache-2.0
#include "reasoning/hypothesis.h"

#include <algorithm>
#include <map>
#include <set>

namespace assay {
namespace {

constexpr double kCap = 6;  // what the traces of one run may say at most, in bits
constexpr double kSupportedScore = 2;
constexpr double kSupportedLead = 2;  // over the next open rival
constexpr int kBlocking = -3;         // a finding of this weight against a cause blocks it

struct Weighed {
  const Finding* finding;
  int bits;
};
std::vector<Weighed> Present(std::span<const Weight> weights, const Findings& findings) {
  std::vector<Weighed> present;
  for (const Weight& weight : weights) {
    const Finding* finding = findings.Find(weight.finding);
    if (finding != nullptr && !finding->info->advice) present.push_back({finding, weight.bits});
  }
  std::stable_sort(present.begin(), present.end(),
                   [](const Weighed& a, const Weighed& b) { return std::abs(a.bits) > std::abs(b.bits); });
  return present;
}

// Findings of one group are correlated: the strongest counts in full, the second one half, the rest not at all.
double GroupedSum(const std::vector<Weighed>& weighed) {
  std::map<std::string_view, int> seen;
  double sum = 0;
  for (const Weighed& w : weighed) {  // strongest first
    const int n = seen[w.finding->info->group]++;
    if (n == 0) sum += w.bits;
    if (n == 1) sum += w.bits / 2.0;
  }
  return sum;
}

Hypothesis Weigh(const CauseInfo& cause, const Findings& findings) {
  Hypothesis h{.cause = &cause};
  const std::vector<Weighed> positive = Present(cause.evidence_for, findings);
  const std::vector<Weighed> negative = Present(cause.evidence_against, findings);
  for (const Weighed& w : positive) h.evidence_for.push_back(w.finding);
  for (const Weighed& w : negative) h.evidence_against.push_back(w.finding);
  h.score = cause.prior + std::clamp(GroupedSum(positive) + GroupedSum(negative), -kCap, kCap);
  h.contradicted = std::any_of(negative.begin(), negative.end(), [](const Weighed& w) { return w.bits <= kBlocking; });
  for (const Contradiction& c : findings.contradictions()) {
    h.contradicted = h.contradicted || std::find(c.blocks.begin(), c.blocks.end(), cause.id) != c.blocks.end();
  }
  for (const std::string_view id : cause.excluded_by) {
    if (const Finding* finding = findings.Find(id)) {
      h.status = HypothesisStatus::kRefuted;
      h.refuted_by = "Excluded: " + finding->statement;
    }
  }
  const bool met = cause.requires_any.empty() || std::any_of(cause.requires_any.begin(), cause.requires_any.end(),
                                                             [&](std::string_view id) { return findings.Has(id); });
  if (!met) h.score -= kCap;  // not excluded, since its condition may simply not have been looked for, but last in line
  return h;
}

std::size_t Groups(const Hypothesis& h) {
  std::set<std::string_view> groups;
  for (const Finding* finding : h.evidence_for) groups.insert(finding->info->group);
  return groups.size();
}

}  // namespace

bool InClass(const CauseInfo& cause, std::string_view failure_class) {
  return cause.failure_class == failure_class ||
         std::find(cause.also.begin(), cause.also.end(), failure_class) != cause.also.end();
}

std::string_view StatusName(HypothesisStatus status) {
  switch (status) {
    case HypothesisStatus::kConfirmed: return "confirmed";
    case HypothesisStatus::kSupported: return "supported";
    case HypothesisStatus::kOpen: return "open";
    case HypothesisStatus::kRefuted: return "refuted";
  }
  return "open";
}

std::vector<Hypothesis> RankHypotheses(const std::vector<std::string_view>& classes, const Findings& findings,
                                       const std::vector<std::string_view>& confirmed) {
  std::vector<Hypothesis> all;
  for (const CauseInfo& cause : knowledge::Causes()) {
    const bool wanted = std::any_of(classes.begin(), classes.end(), [&](std::string_view c) { return InClass(cause, c); });
    if (wanted) all.push_back(Weigh(cause, findings));
  }
  for (Hypothesis& h : all) {
    if (std::find(confirmed.begin(), confirmed.end(), h.cause->id) != confirmed.end()) h.status = HypothesisStatus::kConfirmed;
  }
  for (Hypothesis& h : all) {
    if (h.status != HypothesisStatus::kOpen || h.contradicted || h.score < kSupportedScore || Groups(h) < 2) continue;
    const bool leads = std::all_of(all.begin(), all.end(), [&](const Hypothesis& rival) {
      const bool shares = std::any_of(classes.begin(), classes.end(),
                                      [&](std::string_view c) { return InClass(*rival.cause, c) && InClass(*h.cause, c); });
      return &rival == &h || !shares || rival.status != HypothesisStatus::kOpen || rival.score + kSupportedLead <= h.score;
    });
    // Marked after the loop would have compared with it: the lead rules out that a rival is supported as well.
    if (leads) h.status = HypothesisStatus::kSupported;
  }
  const auto primary = [&](const Hypothesis& h) { return !classes.empty() && InClass(*h.cause, classes.front()); };
  // A prior is meant inside the cause's own class: as a guest of another class a cause needs a finding that speaks for it.
  const auto idle_guest = [&](const Hypothesis& h) {
    return !classes.empty() && h.cause->failure_class != classes.front() && h.evidence_for.empty();
  };
  std::stable_sort(all.begin(), all.end(), [&](const Hypothesis& a, const Hypothesis& b) {
    if (a.status != b.status) return a.status < b.status;
    if (primary(a) != primary(b)) return primary(a);
    if (primary(a) && idle_guest(a) != idle_guest(b)) return idle_guest(b);
    if (a.score != b.score) return a.score > b.score;
    return a.cause->id < b.cause->id;
  });
  return all;
}

}  // namespace assay
