// SPDX-License-Identifier: Apache-2.0
#pragma once

// A rule is one analysis: facts in, declared findings out. It sees a FactView and the findings of the log's signatures, nothing
// else: no files, no processes, no clock. What a finding means, its threshold and its look-alikes stand in knowledge/findings/.

#include <span>
#include <string_view>

#include "evidence/facts/fact_store.h"
#include "reasoning/finding.h"

namespace assay {

struct Rule {
  std::string_view id;
  std::string_view title;
  std::string_view looks_at;                 // for people: "loss and gradient norm of every log and metric file"
  std::span<const std::string_view> yields;  // every finding that it may add
  // Findings of other rules without which it would conclude otherwise: it runs after those that yield them.
  std::span<const std::string_view> asks = {};
  void (*evaluate)(const FactView& facts, Findings& out);
};

namespace rules {
std::span<const Rule* const> All();
}

}  // namespace assay
