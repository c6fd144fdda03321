// SPDX-License-Identifier: Apache-2.0
#include "reasoning/health.h"

#include <fmt/format.h>

#include "base/text.h"
#include "reasoning/diagnosis.h"

namespace assay {

Health AssessHealth(const FactView& facts, const Findings& /*findings*/, const Extent& extent) {
  Health health;
  const auto sign = [&](std::string text, const Citation& cite) {
    health.signs.push_back(std::move(text));
    health.cites.push_back(cite);
  };
  if (extent.advanced && extent.last) {
    sign(extent.last_step ? fmt::format("Steps advanced to {}.", *extent.last_step) : "Training advanced.", *extent.last);
  }
  bool ended = false;
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    const bool end = hit.signature->role == Role::kNormalEnd || hit.signature->role == Role::kEarlyStop;
    if (!end || hit.origin != Origin::kRunLog || StepsAfter(facts, hit.cite.source, hit.cite.end) > 2) continue;
    ended = true;
    sign(fmt::format("The log announces an end: {}.", hit.signature->meaning), hit.cite);
    break;
  }
  if (extent.reached_plan && extent.last) {
    sign(extent.planned_steps && extent.last_step && *extent.last_step + 1 >= *extent.planned_steps
             ? fmt::format("The planned {} steps were reached.", *extent.planned_steps)
             : fmt::format("The planned {} epochs were reached.", FormatNumber(extent.planned_epochs.value_or(0))),
         *extent.last);
  }
  if (extent.bar_complete && extent.last) sign("The last progress bar stands at its total.", *extent.last);
  // An end that announces itself is positive without numbers too: "288 epochs completed".
  health.positive = (extent.advanced && (ended || extent.reached_plan || extent.bar_complete)) || ended;
  return health;
}

}  // namespace assay
