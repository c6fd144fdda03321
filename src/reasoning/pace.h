// SPDX-License-Identifier: Apache-2.0
#pragma once

// When the run made its last logged step, and how regularly it had made them: whether an end came in the middle of regular work.

#include <optional>
#include <string_view>

#include "base/time.h"
#include "evidence/facts/fact_store.h"

namespace assay {

struct LastStep {
  Citation cite;
  std::optional<Time> time;
  double usual_interval = 0;  // seconds between logged steps, median of the last ones; 0: unknown
  std::size_t rows = 0;
};
// Of the training table that reaches farthest in time, else of the longest one; nullopt when no step was logged.
std::optional<LastStep> FindLastStep(const FactView& facts);

// The first date with a time of day in this text; nullopt when there is none.
std::optional<Time> TimeIn(std::string_view text);

}  // namespace assay
