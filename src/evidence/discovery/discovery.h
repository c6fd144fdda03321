// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which runs lie in a project, which files belong to each, and which run is meant. Looks at names and folders only: a data set
// of a million files beside the runs is left out by its shape, and that is said.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/file_system.h"

namespace assay {

struct FoundFile {
  std::string path;  // relative to the project
  std::uint64_t size = 0;
  double modified = 0;
};

struct FoundRun {
  std::string id;                // safe: [A-Za-z0-9._-]{1,80}
  std::string folder;            // relative to the project; "" is the project itself
  std::vector<FoundFile> files;  // in order of path
  double last_write = 0;
  bool evaluation_only = false;  // by its names
};

struct LeftOut {
  std::string path;
  std::string why;
};

struct ProjectScan {
  std::vector<FoundRun> runs;     // newest last write first, evaluation-only ones last
  std::vector<FoundFile> shared;  // configuration and job files that belong to no single run
  std::vector<LeftOut> left_out;
  std::vector<std::string> unreadable;  // folders that could not be listed, with the reason
};

// `root` is the project's absolute path, or a single file of a run.
Result<ProjectScan> ScanProject(const FileSystem& files, const std::string& root);

struct ChosenRun {
  const FoundRun* run = nullptr;
  std::string why;  // "the newest of 3 runs"
};
// `wanted`: an id, a unique prefix of one, or a path of the run's folder or of a file in it; empty: the newest. kNotFound or
// kInvalidArgument (ambiguous) with the candidates in the notes.
Result<ChosenRun> ChooseRun(const ProjectScan& scan, std::string_view wanted);

}  // namespace assay
