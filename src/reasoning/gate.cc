// SPDX-License-Identifier: Apache-2.0
#include "reasoning/gate.h"

#include <algorithm>

namespace assay {
namespace {

// The findings of the first proof that is complete.
std::vector<const Finding*> CompleteProof(const CauseInfo& cause, const Findings& findings) {
  for (const Proof& proof : cause.proofs) {
    std::vector<const Finding*> present;
    for (const std::string_view id : proof.findings) {
      const Finding* finding = findings.Find(id);
      if (finding != nullptr && !finding->survived) present.push_back(finding);
    }
    if (!present.empty() && present.size() == proof.findings.size()) return present;
  }
  return {};
}

}  // namespace

Gate::Outcome Gate::ByDirectEvidence(const CauseInfo& cause, const Findings& findings) {
  constexpr int kBlocking = -3;
  Outcome outcome;
  const std::vector<const Finding*> proof = CompleteProof(cause, findings);
  if (proof.empty()) return outcome;
  ConfirmedCause confirmed(cause, ConfirmedCause::How::kDirect);
  confirmed.proof_ = proof;
  for (const LookAlike& look_alike : cause.look_alikes) {
    const Finding* excluding = nullptr;
    for (const std::string_view id : look_alike.excluded_by) {
      if (excluding == nullptr) excluding = findings.Find(id);
    }
    if (excluding == nullptr) {
      outcome.missing.push_back("nothing excludes " + std::string(look_alike.is));
    } else {
      confirmed.excluded_.push_back(std::string(look_alike.is) + " (" + excluding->statement + ")");
    }
  }
  for (const Weight& weight : cause.evidence_against) {
    const Finding* finding = findings.Find(weight.finding);
    if (finding != nullptr && weight.bits <= kBlocking) outcome.missing.push_back("it is contradicted: " + finding->statement);
  }
  for (const Contradiction& c : findings.contradictions()) {
    if (std::find(c.blocks.begin(), c.blocks.end(), cause.id) != c.blocks.end())
      outcome.missing.push_back("it is contradicted: " + c.statement);
  }
  for (const std::string_view id : cause.excluded_by) {
    if (const Finding* finding = findings.Find(id)) outcome.missing.push_back("it is excluded: " + finding->statement);
  }
  if (outcome.missing.empty()) outcome.confirmed = std::move(confirmed);
  return outcome;
}

}  // namespace assay
