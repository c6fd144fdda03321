// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns a diagnosis into the sentences of a report: numbers evidence, findings and hypotheses in order of first entry, fetches
// the quotes, and says what to do next. Pure but for the quotes, which are read again from the artifacts.

#include <string>
#include <string_view>
#include <vector>

#include "case/report.h"
#include "evidence/facts/fact_store.h"
#include "platform/file_system.h"
#include "reasoning/diagnosis.h"

namespace assay {

struct CaseInput {
  std::string run_id;
  std::string project;  // as the user gave it, for the commands of part 5
  std::string chosen_because;
  std::string mode;  // --mode, or empty
};

Report BuildReport(const CaseInput& input, const FactView& facts, const Diagnosis& diagnosis, const FileSystem& files);

}  // namespace assay
