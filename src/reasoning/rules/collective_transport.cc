// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "reasoning/rules/rule.h"

// By what the ranks exchange their gradients. Sockets are what there is on many clusters: they are a slow link only where another
// run of the project found a faster one.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"link-slow"};

const SignatureHit* Transport(const FactView& facts) {
  const std::vector<const SignatureHit*> hits = facts.Hits("nccl-network");
  return hits.empty() ? nullptr : hits.front();
}

bool IsSocket(const SignatureHit& hit) { return EqualsIgnoreCase(hit.Capture("network"), "Socket"); }

void Evaluate(const FactView& facts, Findings& out) {
  const SignatureHit* own = Transport(facts);
  if (own == nullptr) return out.NotChecked("link-slow", "the log does not say by which network the ranks exchange");
  if (!IsSocket(*own)) return;
  bool compared = false;
  for (const auto& sibling : facts.siblings()) {
    const FactView other(sibling->facts);
    const SignatureHit* theirs = Transport(other);
    compared = compared || theirs != nullptr;
    if (theirs == nullptr || IsSocket(*theirs)) continue;
    out.Add("collective-transport", "link-slow",
            fmt::format("The ranks exchange over sockets here, and over {} in run {}.", Printable(theirs->Capture("network"), 40),
                        Printable(sibling->id, 60)),
            {own->cite, theirs->cite});
    return;
  }
  if (!compared) out.NotChecked("link-slow", "no other run of the project says which network there is");
}

}  // namespace

extern const Rule collective_transport;
constinit const Rule collective_transport{
    .id = "collective-transport",
    .title = "By what the ranks exchange their gradients",
    .looks_at = "the network that the collective library chose, in this run and in others of the project",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
