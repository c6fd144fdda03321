// SPDX-License-Identifier: Apache-2.0
#pragma once

// `assay verify`: does every citation of a case still stand?

#include <string>
#include <vector>

#include "case/report.h"
#include "platform/file_system.h"

namespace assay {

enum class CitationState {
  kHolds,     // the same bytes at the same place; a log that only grew holds
  kMoved,     // the same bytes elsewhere in the file
  kChanged,   // other bytes, and the old ones are nowhere in the file
  kGone,      // no such file any more
  kCaptured,  // a reading: its text lies in the case and cannot be read again
};
const char* CitationStateName(CitationState state);

struct CheckedCitation {
  std::string evidence;
  std::string source;
  CitationState state = CitationState::kHolds;
  std::uint64_t moved_to = 0;  // byte offset, for kMoved
};

std::vector<CheckedCitation> VerifyCitations(const Report& report, const FileSystem& files);

}  // namespace assay
