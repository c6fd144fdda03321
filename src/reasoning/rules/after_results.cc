// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"exit-after-results"};

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    const Role role = hit.signature->role;
    const auto results = end.ResultsAt(hit.cite.source);
    if (hit.origin != Origin::kRunLog || !results || *results >= hit.cite.begin) continue;
    const bool noise = hit.signature->id == "leaked-at-exit" || hit.signature->id == "group-not-destroyed" ||
                       (role == Role::kFailure && end.Of(hit) == Standing::kAfterResults);
    if (!noise) continue;
    out.Add("after-results", "exit-after-results",
            fmt::format("After the results were complete the log only adds: {}.", hit.signature->meaning), {hit.cite});
  }
}

}  // namespace

extern const Rule after_results;
constinit const Rule after_results{
    .id = "after-results",
    .title = "Clean-up noise after the results were complete",
    .looks_at = "ends that a log announces, and what is printed after them",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
