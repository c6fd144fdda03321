// SPDX-License-Identifier: Apache-2.0
#include "knowledge/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "evidence/logs/signature_matcher.h"
#include "reasoning/rules/rule.h"
#include "tests/support/reading.h"

namespace assay {
namespace {

std::vector<const Signature*> AllSignatures() {
  std::vector<const Signature*> all;
  for (const Signature& s : knowledge::Signatures()) all.push_back(&s);
  return all;
}

TEST(Signatures, MatchTheirSamplesAndNoCounterSample) {
  SignatureMatcher matcher(AllSignatures());
  for (std::size_t i = 0; i < matcher.size(); ++i) {
    const Signature& s = matcher.signature(i);
    for (const std::string_view line : s.samples) {
      EXPECT_TRUE(HoldsItsTexts(s, line) && matcher.Confirm(i, line, true)) << s.id << ": " << line;
    }
    for (const std::string_view line : s.counter_samples) {
      EXPECT_FALSE(HoldsItsTexts(s, line) && matcher.Confirm(i, line, true)) << s.id << ": " << line;
    }
  }
}

TEST(Signatures, AreFoundInALogThroughTheWholeReader) {
  for (const Signature& s : knowledge::Signatures()) {
    const FactStore facts = testing::ReadLogText("a line before\n" + std::string(s.samples.front()) + "\na line after\n");
    EXPECT_FALSE(FactView(facts).Hits(s.id).empty()) << s.id << ": " << s.samples.front();
  }
}

TEST(Findings, EachWhoseSourceHasLandedHasAProducer) {
  std::set<std::string_view> produced;
  for (const Signature& s : knowledge::Signatures()) produced.insert(s.finding);
  for (const Rule* rule : rules::All()) produced.insert(rule->yields.begin(), rule->yields.end());
  for (const FindingInfo& finding : knowledge::Findings()) {
    const bool landed = std::any_of(finding.sources.begin(), finding.sources.end(),
                                    [](std::string_view source) { return knowledge::FindEvidenceSource(source)->landed; });
    EXPECT_TRUE(!landed || produced.contains(finding.id)) << finding.id;
  }
}

TEST(Rules, YieldOnlyDeclaredFindings) {
  for (const Rule* rule : rules::All()) {
    EXPECT_FALSE(rule->yields.empty()) << rule->id;
    for (const std::string_view id : rule->yields) EXPECT_NE(knowledge::FindFinding(id), nullptr) << rule->id << ": " << id;
  }
}

}  // namespace
}  // namespace assay
