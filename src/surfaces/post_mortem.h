// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole way from a folder to a report, read-only: find the run, read it, reason, build the report.

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "case/report.h"
#include "evidence/facts/fact_store.h"
#include "evidence/logs/user_signatures.h"
#include "surfaces/commands/command.h"

namespace assay {

// What is known of one run: its artifacts, this machine where it is asked, and the other runs of the project.
struct Evidence {
  std::unique_ptr<UserSignatures> signatures;  // hits among the facts point to them
  std::unique_ptr<FactStore> facts;
  std::string run_id;
  std::string chosen_because;
  std::size_t unreadable = 0;  // artifacts that could not be read
};

struct PostMortem {
  Report report;
  std::size_t unreadable = 0;  // artifacts that could not be read
};

struct PostMortemRequest {
  std::string project;  // as given
  std::string run;      // --run, or empty
  std::string mode;     // --mode, or empty
  std::string state;    // --state, or empty
  bool probes = true;   // false: the artifacts alone
  std::string pid;      // a process that the user says is the run's, or empty
};

// The log signatures in the state folders of a project (case/state_folder.h).
std::unique_ptr<UserSignatures> ReadUserSignatures(const FileSystem& files, const std::string& project, const std::string& state);

Result<Evidence> Gather(const Session& session, const PostMortemRequest& request);
Result<PostMortem> Examine(const Session& session, const PostMortemRequest& request);

// The absolute form of a path as the user gave it, without following the last link.
std::string AbsolutePath(const std::string& path);

}  // namespace assay
