// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole way from a folder to a report, read-only: find the run, read it, reason, build the report.

#include <cstddef>
#include <string>

#include "base/result.h"
#include "case/report.h"
#include "surfaces/commands/command.h"

namespace assay {

struct PostMortem {
  Report report;
  std::size_t unreadable = 0;  // artifacts that could not be read
};

struct PostMortemRequest {
  std::string project;  // as given
  std::string run;      // --run, or empty
  std::string mode;     // --mode, or empty
};

Result<PostMortem> Examine(const Session& session, const PostMortemRequest& request);

// The absolute form of a path as the user gave it, without following the last link.
std::string AbsolutePath(const std::string& path);

}  // namespace assay
