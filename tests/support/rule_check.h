// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one rule concludes from facts, after the signatures of the log have had their say.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "reasoning/rules/rule.h"
#include "reasoning/signature_findings.h"
#include "tests/support/findings_of.h"
#include "tests/support/reading.h"

namespace assay::testing {

inline Findings Conclude(std::string_view rule, const FactStore& store) {
  Findings findings;
  const FactView facts(store);
  AddSignatureFindings(facts, findings);
  for (const Rule* r : rules::All()) {
    if (r->id == rule) {
      r->evaluate(facts, findings);
      return findings;
    }
  }
  ADD_FAILURE() << "no rule " << rule;
  return findings;
}

inline Findings ConcludeFromText(std::string_view rule, std::string_view log) { return Conclude(rule, ReadLogText(log)); }

// Ids of what a rule added, in order, as one line.
inline std::string Ids(const Findings& findings, std::string_view rule) {
  std::string ids;
  for (const Finding& finding : findings.all()) {
    if (finding.rule != rule) continue;
    ids += ids.empty() ? "" : " ";
    ids += finding.info->id;
    EXPECT_FALSE(finding.statement.empty() || finding.statement.ends_with("..") || !finding.statement.ends_with('.'))
        << finding.statement;
    EXPECT_FALSE(finding.cites.empty());
  }
  return ids;
}

}  // namespace assay::testing
