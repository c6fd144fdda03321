// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"nonfinite-check"};

// Texts that a healthy run survives too; as the exception that ended the run they say what went wrong.
constexpr std::array<std::string_view, 6> kChecks{"anomaly-mode",   "jax-nan-check", "clip-norm-nonfinite",
                                                  "grad-norm-text", "nan-recovery",  "lightning-parameter-check"};

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  for (const std::string_view id : kChecks) {
    for (const SignatureHit* hit : facts.Hits(id)) {
      if (hit->origin != Origin::kRunLog || !IsExceptionText(hit->quote) || end.Of(*hit) != Standing::kEnd) continue;
      // Where an exception ended the run, this must be its text.
      if (end.first() != nullptr && !end.InFirst(hit->cite)) continue;
      // A line alone, without its traceback, is the end only where no progress of any kind follows.
      if (end.first() == nullptr && LastProgress(facts, hit->cite.source) > hit->cite.begin) continue;
      Finding& finding = out.Add(
          "nonfinite-check", "nonfinite-check",
          fmt::format("A check ended the run because a value is not finite: {}.", Printable(WithoutStop(Trim(hit->quote)), 200)),
          {hit->cite});
      finding.rank = hit->rank;
      finding.time = hit->time;
    }
  }
}

}  // namespace

extern const Rule nonfinite_check;
constinit const Rule nonfinite_check{
    .id = "nonfinite-check",
    .title = "A check for non-finite values that ended the run",
    .looks_at = "the exception that ended the run, or its last line",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
