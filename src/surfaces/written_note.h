// SPDX-License-Identifier: Apache-2.0
#pragma once

// The debug note docs/ops/runs/<run-id>-debug.md: written when that folder exists (having it counts as asking) or when a path was
// given. A note without assay's marker line is somebody's own and is never overwritten.

#include <string>

#include "base/result.h"
#include "case/report.h"

namespace assay {

inline constexpr const char* kNoteMarker = "<!-- written by assay; edits are lost when it runs again -->";

Status WriteNote(const std::string& project, const std::string& asked_path, const Report& report);

}  // namespace assay
