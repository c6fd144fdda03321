// SPDX-License-Identifier: Apache-2.0
#include "reasoning/rule_order.h"

#include <algorithm>

#include "base/check.h"

namespace assay {
namespace {

bool Yields(const Rule& rule, std::string_view finding) {
  return std::find(rule.yields.begin(), rule.yields.end(), finding) != rule.yields.end();
}

}  // namespace

std::vector<const Rule*> RulesInOrder() {
  std::vector<const Rule*> waiting(rules::All().begin(), rules::All().end());
  std::vector<const Rule*> order;
  const auto is_free = [&](const Rule* rule) {
    return std::none_of(rule->asks.begin(), rule->asks.end(), [&](std::string_view finding) {
      return std::any_of(waiting.begin(), waiting.end(),
                         [&](const Rule* other) { return other != rule && Yields(*other, finding); });
    });
  };
  while (!waiting.empty()) {
    const auto next = std::find_if(waiting.begin(), waiting.end(), is_free);
    ASSAY_CHECK(next != waiting.end());
    order.push_back(*next);
    waiting.erase(next);
  }
  return order;
}

}  // namespace assay
