// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a run without symptoms may be called healthy: it needs positive signs (steps that advanced, and an end), because the
// absence of an error message is no evidence.

#include <string>
#include <vector>

#include "evidence/facts/fact_store.h"
#include "reasoning/finding.h"
#include "reasoning/progress.h"

namespace assay {

struct Route;

struct Health {
  bool positive = false;
  std::vector<std::string> signs;  // sentences
  std::vector<Citation> cites;
  std::vector<Route> routes;
};

Health AssessHealth(const FactView& facts, const Findings& findings, const Extent& extent);

}  // namespace assay
