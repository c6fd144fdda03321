// SPDX-License-Identifier: Apache-2.0
#pragma once

// The gate. Only it can make a ConfirmedCause, and only a ConfirmedCause can be printed as a cause.
//
// By direct evidence (taxonomy 1.6): the catalogue declares the findings as proof and says why (D1); the rules that make such
// findings saw to it that the evidence belongs to this run (D2) and is the failure's own record (D3); every declared look-alike
// is excluded by a finding of this case, not by its absence (D4); nothing contradicts it (D5).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reasoning/finding.h"
#include "reasoning/hypothesis.h"

namespace assay {

class ConfirmedCause {
 public:
  const CauseInfo& cause() const { return *cause_; }
  enum class How { kExperiment, kDirect };
  How how() const { return how_; }
  const std::vector<const Finding*>& proof() const { return proof_; }
  // Look-alikes that were excluded, each with the finding that did it.
  const std::vector<std::string>& excluded() const { return excluded_; }

 private:
  friend class Gate;
  ConfirmedCause(const CauseInfo& cause, How how) : cause_(&cause), how_(how) {}
  const CauseInfo* cause_;
  How how_;
  std::vector<const Finding*> proof_;
  std::vector<std::string> excluded_;
};

class Gate {
 public:
  // Passes the cause, or says what is missing.
  struct Outcome {
    std::optional<ConfirmedCause> confirmed;
    std::vector<std::string> missing;  // sentences; empty when there is no direct proof to ask for
  };
  static Outcome ByDirectEvidence(const CauseInfo& cause, const Findings& findings);
};

}  // namespace assay
