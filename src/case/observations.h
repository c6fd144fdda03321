// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the probes showed beside the findings: the plain facts that a person wants first, each with its citation.

#include <string>
#include <vector>

#include "case/report.h"
#include "evidence/facts/fact_store.h"
#include "reasoning/progress.h"

namespace assay {

struct Observation {
  std::string statement;
  std::vector<Citation> cites;
};

std::vector<Observation> Observe(const FactView& facts, const Extent& extent);

// Command, commit, times and ranks of the run, as far as its artifacts say them.
ReportRun DescribeRun(const FactView& facts);

}  // namespace assay
