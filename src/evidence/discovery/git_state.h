// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commit and the state of the project's git work tree, read from .git itself. git is not run: a repository's own
// configuration may name programs that git would start. Source of the formats: gitformat-index(5), gitrepository-layout(5).

#include <string>

#include "evidence/facts/fact_store.h"
#include "platform/file_system.h"

namespace assay {

// Pushes one GitState when the project, or a folder above it, is a work tree. "dirty" means that a tracked file differs from the
// index or is gone; files that git does not track and differences between index and commit are not looked at, and where the
// index cannot decide it stays unknown. `.assay/` never counts.
void ReadGitState(const FileSystem& files, const std::string& project, FactStore& facts);

}  // namespace assay
