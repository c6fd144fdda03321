// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads every artifact of a run into a FactStore, each by the format that recognises it.

#include <functional>
#include <string>

#include "evidence/discovery/discovery.h"
#include "evidence/facts/fact_store.h"
#include "evidence/logs/log_reader.h"

namespace assay {

struct GatherOptions {
  LogReader& logs;  // reads what is a log
  // Called before each file with its path and how many bytes of the run were read, of how many; for progress lines.
  std::function<void(std::string_view path, std::uint64_t done, std::uint64_t total)> progress;
};

// `root` as given to ScanProject. Files that no format takes are listed as RunFile facts all the same; a file that cannot be
// opened becomes an anomaly kUnreadable. Returns how many could not be read.
std::size_t GatherRun(const FileSystem& files, const std::string& root, const ProjectScan& scan, const FoundRun& run,
                      const GatherOptions& options, FactStore& facts);

// Reads the other runs of the project that are small enough to compare with (at most three, 64 MiB each) into siblings of
// `facts`.
void GatherSiblings(const FileSystem& files, const std::string& root, const ProjectScan& scan, const FoundRun& run,
                    LogReader& logs, FactStore& facts);

}  // namespace assay
