// SPDX-License-Identifier: Apache-2.0
#include "reasoning/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

namespace assay {
namespace {

constexpr Citation kSomewhere{.source = SourceId{0}, .begin = 0, .end = 10, .line = 1};

// Only the gate can make a cause: the type has no public way to be built.
static_assert(!std::is_default_constructible_v<ConfirmedCause>);
static_assert(!std::is_constructible_v<ConfirmedCause, const CauseInfo&, ConfirmedCause::How>);

TEST(Gate, PassesADirectProofWhoseLookAlikesAreExcluded) {
  Findings findings;
  findings.Add("test", "sched-oom", "The scheduler recorded it.", {kSomewhere});
  const auto outcome = Gate::ByDirectEvidence(*knowledge::FindCause("oom-host-limit"), findings);
  ASSERT_TRUE(outcome.confirmed);
  EXPECT_EQ(outcome.confirmed->proof().front()->info->id, "sched-oom");
  EXPECT_EQ(outcome.confirmed->how(), ConfirmedCause::How::kDirect);
}

TEST(Gate, HoldsBackAProofWhoseLookAlikeNothingExcludes) {
  Findings findings;
  findings.Add("test", "oom-kill-own", "The kernel killed it.", {kSomewhere});
  const auto outcome = Gate::ByDirectEvidence(*knowledge::FindCause("oom-host-limit"), findings);
  EXPECT_FALSE(outcome.confirmed);
  EXPECT_FALSE(outcome.missing.empty());
}

TEST(Gate, HoldsBackWhatIsContradicted) {
  Findings findings;
  findings.Add("test", "sched-oom", "The scheduler recorded it.", {kSomewhere});
  findings.AddContradiction({kSomewhere, kSomewhere, "The scheduler says COMPLETED elsewhere.", {"oom-host-limit"}});
  EXPECT_FALSE(Gate::ByDirectEvidence(*knowledge::FindCause("oom-host-limit"), findings).confirmed);
}

TEST(Gate, HoldsBackWhatTheRunSurvived) {
  Findings findings;
  findings.Add("test", "sched-oom", "The scheduler recorded it.", {kSomewhere}).survived = true;
  EXPECT_FALSE(Gate::ByDirectEvidence(*knowledge::FindCause("oom-host-limit"), findings).confirmed);
}

TEST(Gate, NeverPassesOnSoftFindings) {
  for (const CauseInfo& cause : knowledge::Causes()) {
    Findings findings;
    for (const Weight& w : cause.evidence_for) {
      const bool proof = std::any_of(cause.proofs.begin(), cause.proofs.end(), [&](const Proof& p) {
        return std::find(p.findings.begin(), p.findings.end(), w.finding) != p.findings.end();
      });
      if (!proof) findings.Add("test", w.finding, "Seen.", {kSomewhere});
    }
    EXPECT_FALSE(Gate::ByDirectEvidence(cause, findings).confirmed) << cause.id;
  }
}

}  // namespace
}  // namespace assay
