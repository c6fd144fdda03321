// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

#include "platform/file_system.h"
#include "surfaces/command_line.h"

namespace assay::testing {

struct CommandOutput {
  int status = 0;
  std::string out;
  std::string err;
};

// Runs the program in this process, as from a pipe.
inline CommandOutput RunAssay(const std::vector<std::string>& words) {
  const auto read = [](std::FILE* file) {
    std::string text;
    std::rewind(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
    std::fclose(file);
    return text;
  };
  const RealFileSystem files;
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  std::vector<const char*> argv{"assay"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  CommandOutput result;
  result.status = RunCommandLine(static_cast<int>(argv.size()), argv.data(), {.files = files, .out = out, .err = err});
  result.out = read(out);
  result.err = read(err);
  return result;
}

inline std::string CaseRun(const std::string& id) { return std::string(ASSAY_SOURCE_DIR "/tests/cases/") + id + "/run"; }

}  // namespace assay::testing
