// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "reasoning/classes/failure_class.h"

namespace assay::testing {

// What holds for every failure class: no findings, no class; each declared symptom names it; one that was survived does not;
// every finding of its decision tree exists.
inline void CheckClass(std::string_view id) {
  const FailureClass* failure_class = classes::Find(id);
  ASSERT_NE(failure_class, nullptr);
  const FactStore store;
  const FactView facts(store);
  const Citation somewhere{.source = SourceId{0}, .begin = 0, .end = 1};
  EXPECT_FALSE(failure_class->assess(facts, Findings()));
  std::size_t symptoms = 0;
  for (const FindingInfo& info : knowledge::Findings()) {
    if (std::find(info.symptom_of.begin(), info.symptom_of.end(), id) == info.symptom_of.end()) continue;
    ++symptoms;
    Findings findings;
    Finding& finding = findings.Add("test", info.id, "Seen.", {somewhere});
    const auto assessment = failure_class->assess(facts, findings);
    ASSERT_TRUE(assessment) << info.id;
    EXPECT_EQ(assessment->because.front(), &findings.all().front());
    finding.survived = true;
    EXPECT_FALSE(failure_class->assess(facts, findings)) << info.id;
  }
  EXPECT_GT(symptoms, 0U);
  for (const Question& question : failure_class->decision_tree) {
    for (const std::string_view finding : question.answered_by) EXPECT_NE(knowledge::FindFinding(finding), nullptr) << finding;
  }
}

}  // namespace assay::testing
