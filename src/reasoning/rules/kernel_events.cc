// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"aer-correctable-flood"};

// A few repaired errors a day are normal; ten a minute are a link that is about to fail.
void Evaluate(const FactView& facts, Findings& out) {
  constexpr double kPerMinute = 10;
  const SignatureHit* first = nullptr;
  const SignatureHit* last = nullptr;
  std::uint64_t count = 0;
  for (const SignatureHit* hit : facts.Hits("pcie-error-repaired")) {
    if (!BelongsToRun(*hit) || !hit->time) continue;
    if (first == nullptr || hit->time->seconds < first->time->seconds) first = hit;
    if (last == nullptr || hit->time->seconds > last->time->seconds) last = hit;
    count += hit->count;
  }
  if (first == nullptr || first == last) return;
  const double minutes = (last->time->seconds - first->time->seconds) / 60;
  if (minutes < 1 || static_cast<double>(count) < kPerMinute * minutes) return;
  out.Add("kernel-events", "aer-correctable-flood",
          fmt::format("The kernel repaired {} link errors in {}.", count, FormatSeconds(minutes * 60)),
          {first->cite, last->cite});
}

}  // namespace

extern const Rule kernel_events;
constinit const Rule kernel_events{
    .id = "kernel-events",
    .title = "Errors that the hardware repaired, and how often",
    .looks_at = "repaired bus errors of the kernel log",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
