// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"advice-text"};

void Evaluate(const FactView& facts, Findings& out) {
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.signature->role != Role::kAdvice) continue;
    out.Add("advice", "advice-text",
            fmt::format("A program guesses or advises, which counts for nothing: {}.", Printable(WithoutStop(hit.quote), 160)),
            {hit.cite});
  }
}

}  // namespace

extern const Rule advice;
constinit const Rule advice{
    .id = "advice",
    .title = "Guesses and advice that programs print",
    .looks_at = "lines of advice in every log",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
