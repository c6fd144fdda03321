// SPDX-License-Identifier: Apache-2.0
#pragma once

// Limits of time that a launch script, unit or pod puts above a run. They are found before any duration is looked at: a round
// duration that happens to meet some limit proves nothing.

#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

struct WrapperLimit {
  double seconds = 0;
  const ConfigValue* value = nullptr;
};
std::vector<WrapperLimit> WrapperLimits(const FactView& facts);

}  // namespace assay
