// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evidence/facts/fact_store.h"
#include "reasoning/finding.h"

namespace assay {

// The findings that the mere presence of a log line establishes: every signature hit whose signature names one. A line of a
// kernel log or a scheduler's record counts only when something ties it to this run.
void AddSignatureFindings(const FactView& facts, Findings& out);

}  // namespace assay
