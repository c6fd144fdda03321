// SPDX-License-Identifier: Apache-2.0
#pragma once

// One of the eight failure classes. Each file of this folder says when a run is in its class, and asks the questions of its
// decision tree in order, so that a report can say which of them were answered and which evidence would answer the next.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"
#include "reasoning/finding.h"

namespace assay {

// The run is in this class because of these findings.
struct Assessment {
  std::vector<const Finding*> because;
};

struct Question {
  std::string_view ask;                           // "Which memory ran out?"
  std::span<const std::string_view> answered_by;  // finding ids, any of them
};

struct FailureClass {
  std::string_view id;
  std::string_view title;
  std::string_view counts;  // what counts as this class, one sentence
  std::string_view mode;    // word of --mode that asks for it
  int priority;             // among classes that began together: lower is more specific
  std::span<const Question> decision_tree;
  std::optional<Assessment> (*assess)(const FactView& facts, const Findings& findings);
};

namespace classes {
std::span<const FailureClass* const> All();

// nullptr when there is none.
inline const FailureClass* Find(std::string_view id) {
  for (const FailureClass* failure_class : All()) {
    if (failure_class->id == id) return failure_class;
  }
  return nullptr;
}

// The findings that by their mere presence put the run in the class, those that the run survived left out.
Assessment Symptoms(std::string_view id, const Findings& findings);
inline std::optional<Assessment> IfAny(Assessment assessment) {
  if (assessment.because.empty()) return std::nullopt;
  return assessment;
}
}  // namespace classes

}  // namespace assay
