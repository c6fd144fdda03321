// SPDX-License-Identifier: Apache-2.0
#include "reasoning/hypothesis.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

constexpr Citation kSomewhere{.source = SourceId{0}, .begin = 0, .end = 10, .line = 1};

const Hypothesis& Of(const std::vector<Hypothesis>& all, std::string_view cause) {
  return *std::find_if(all.begin(), all.end(), [&](const Hypothesis& h) { return h.cause->id == cause; });
}

TEST(Hypotheses, CountTheSecondFindingOfAGroupHalfAndTheThirdNot) {
  Findings one;
  one.Add("test", "scale-collapse", "x", {kSomewhere});
  const double base = Of(RankHypotheses({"nan-gradient"}, Findings(), {}), "nan-fp16-range").score;
  EXPECT_EQ(base, knowledge::FindCause("nan-fp16-range")->prior);
  EXPECT_EQ(Of(RankHypotheses({"nan-gradient"}, one, {}), "nan-fp16-range").score, base + 3);
}

TEST(Hypotheses, AreOpenWithoutFindingsAndNeverSupportedByOneGroup) {
  for (const CauseInfo& cause : knowledge::Causes()) {
    if (cause.evidence_for.empty()) continue;
    Findings findings;
    findings.Add("test", cause.evidence_for.front().finding, "x", {kSomewhere});
    const auto ranked = RankHypotheses({cause.failure_class}, findings, {});
    EXPECT_NE(Of(ranked, cause.id).status, HypothesisStatus::kSupported) << cause.id;
  }
}

TEST(Hypotheses, AreCappedAtSixBits) {
  for (const CauseInfo& cause : knowledge::Causes()) {
    Findings findings;
    for (const Weight& w : cause.evidence_for) findings.Add("test", w.finding, "x", {kSomewhere});
    EXPECT_LE(Of(RankHypotheses({cause.failure_class}, findings, {}), cause.id).score, cause.prior + 6.0) << cause.id;
  }
}

TEST(Hypotheses, ABlockingFindingKeepsACauseFromBeingSupported) {
  Findings findings;
  findings.Add("test", "gradnorm-growth", "x", {kSomewhere});
  findings.Add("test", "lr-near-peak-at-break", "x", {kSomewhere});
  findings.Add("test", "one-rank-first", "x", {kSomewhere});
  EXPECT_NE(Of(RankHypotheses({"nan-gradient"}, findings, {}), "nan-lr-too-high").status, HypothesisStatus::kSupported);
}

TEST(Hypotheses, AGuestOfAnotherClassNeedsAFindingThatSpeaksForIt) {
  Findings findings;
  findings.Add("test", "chance-loss", "x", {kSomewhere});
  const auto ranked = RankHypotheses({"silent-error"}, findings, {});
  EXPECT_EQ(ranked.front().cause->failure_class, "silent-error");
  // It stays on the list, behind what belongs there.
  EXPECT_EQ(Of(ranked, "nan-fp16-range").score, knowledge::FindCause("nan-fp16-range")->prior);
  Findings fp16;
  fp16.Add("test", "scale-collapse", "x", {kSomewhere});
  EXPECT_EQ(RankHypotheses({"silent-error"}, fp16, {}).front().cause->id, "nan-fp16-range");
}

}  // namespace
}  // namespace assay
