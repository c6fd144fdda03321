// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many steps a process had completed when a line of its log was written.

#include <cstdint>
#include <optional>

#include "evidence/facts/fact_store.h"

namespace assay {

struct StepsBefore {
  bool counted = false;          // something counted steps in this log; otherwise nothing is known, not even that there were none
  double completed = 0;          // at least so many, of this attempt
  double epochs = 0;             // whole epochs among them, where the log counts epochs only
  std::optional<Citation> last;  // the line that counted last
};

// Training steps of the attempt that the place `offset` of this source belongs to.
StepsBefore TrainingStepsBefore(const FactView& facts, SourceId source, std::uint64_t offset);

// Batches of the evaluation or prediction pass that was under way at this place.
StepsBefore EvaluationStepsBefore(const FactView& facts, SourceId source, std::uint64_t offset);

}  // namespace assay
