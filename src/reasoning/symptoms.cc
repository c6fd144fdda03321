// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reasoning/classes/failure_class.h"

namespace assay::classes {

Assessment Symptoms(std::string_view id, const Findings& findings) {
  Assessment assessment;
  for (const Finding& finding : findings.all()) {
    const Texts& of = finding.info->symptom_of;
    if (!finding.survived && std::find(of.begin(), of.end(), id) != of.end()) assessment.because.push_back(&finding);
  }
  return assessment;
}

}  // namespace assay::classes
