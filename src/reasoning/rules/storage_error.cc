// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"io-error-path"};

// A terminal that went away answers with error 5 too, and names no path.
void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  for (const SignatureHit* hit : facts.HitsFor("io-error")) {
    const std::string_view path = hit->Capture("path");
    if (path.empty() || path.starts_with("/dev/") || path.starts_with("/proc/") || path.starts_with("/run/")) continue;
    if (end.Of(*hit) != Standing::kEnd) continue;
    Finding& finding = out.Add(
        "storage-error", "io-error-path",
        fmt::format("The storage of {} answered with an error: {}.", Printable(path, 200), hit->signature->meaning), {hit->cite});
    finding.rank = hit->rank;
  }
}

}  // namespace

extern const Rule storage_error;
constinit const Rule storage_error{
    .id = "storage-error",
    .title = "Which path of the run the storage refused",
    .looks_at = "errors 5 and 116 with their paths",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
