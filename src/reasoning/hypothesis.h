// SPDX-License-Identifier: Apache-2.0
#pragma once

// A hypothesis is a cause of the catalogue, instantiated for this run and weighed by the findings. Scores rank; they are bits of
// log-odds, never probabilities, and never printed as percentages.

#include <string_view>
#include <vector>

#include "knowledge/tables.h"
#include "reasoning/finding.h"

namespace assay {

// The cause belongs to this class, or also appears in it.
bool InClass(const CauseInfo& cause, std::string_view failure_class);

enum class HypothesisStatus { kConfirmed, kSupported, kOpen, kRefuted };
std::string_view StatusName(HypothesisStatus status);

struct Hypothesis {
  const CauseInfo* cause = nullptr;
  HypothesisStatus status = HypothesisStatus::kOpen;
  double score = 0;                          // prior + clamped evidence, in bits
  std::vector<const Finding*> evidence_for;  // strongest first
  std::vector<const Finding*> evidence_against;
  std::string refuted_by;     // why it is excluded, a sentence; empty unless refuted
  bool contradicted = false;  // a contradiction blocks it
};

// Every cause of these classes (first class is the primary one), ranked: confirmed, supported, open, refuted; inside a status
// those of the primary class first, then by score, then by id. `confirmed` names causes that passed the gate.
std::vector<Hypothesis> RankHypotheses(const std::vector<std::string_view>& classes, const Findings& findings,
                                       const std::vector<std::string_view>& confirmed);

}  // namespace assay
