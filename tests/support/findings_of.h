// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the signatures and all rules find in a log or in literal facts.

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "reasoning/diagnosis.h"
#include "reasoning/rule_order.h"
#include "reasoning/signature_findings.h"
#include "tests/support/reading.h"

namespace assay::testing {

inline Findings FindingsOf(const FactStore& facts) {
  Findings out;
  AddSignatureFindings(FactView(facts), out);
  for (const Rule* rule : RulesInOrder()) rule->evaluate(FactView(facts), out);
  return out;
}
inline Findings FindingsOfLog(std::string_view text) { return FindingsOf(ReadLogText(text)); }

inline bool IsNotChecked(const Findings& findings, std::string_view id) {
  return std::any_of(findings.unchecked().begin(), findings.unchecked().end(), [&](const auto& u) { return u.info->id == id; });
}

// "07:00:00 step 10 loss 2.5" lines, ten seconds apart, the steps from `first` on.
inline std::string Steps(int count, int first = 0, int start_seconds = 0) {
  std::string log;
  for (int i = 0; i < count; ++i) {
    const int seconds = start_seconds + 10 * i;
    char line[96];
    std::snprintf(line, sizeof line, "2026-03-01 %02d:%02d:%02d step %d loss %.4f lr 1e-4\n", 7 + seconds / 3600,
                  seconds / 60 % 60, seconds % 60, (first + i) * 10, 3.0 / (1 + 0.01 * (first + i)));
    log += line;
  }
  return log;
}

// A traceback of the user's own code.
inline std::string Trace(std::string_view exception, std::string_view frame = "/home/u/proj/train.py") {
  return "Traceback (most recent call last):\n  File \"" + std::string(frame) + "\", line 12, in main\n    work()\n" +
         std::string(exception) + "\n";
}

}  // namespace assay::testing
