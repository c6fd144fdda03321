// SPDX-License-Identifier: Apache-2.0
#pragma once

// A command is one verb of the command line. Each file of this folder is one entry; help, completions and the reference page are
// made from it.

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/file_system.h"

namespace CLI {
class App;
}

namespace assay {

// Exit codes are part of the interface (docs/formats/exit-codes.md).
enum class ExitCode { kNothingWrong = 0, kFailureFound = 1, kCouldNot = 2, kInterrupted = 130 };

// What a command has to do with the world.
struct Session {
  const FileSystem& files;
  std::FILE* out;  // the product only
  std::FILE* err;  // progress, warnings, errors
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;
  std::size_t width = 80;
  bool probe_machine = true;  // false: the artifacts alone, so that a test does not depend on where it runs
};

// Words of the command line that a command was given, filled by CLI11 from what `declare` declared.
struct Command {
  std::string_view name;
  std::string_view summary;                    // one line, no full stop
  std::string_view details;                    // paragraphs of --help
  std::span<const std::string_view> examples;  // run by the tests
  bool is_default = false;                     // what `assay` without a verb does
  // Declares options on `app` and resets the command's own static state, in which the values land and which `run` reads.
  void (*declare)(CLI::App& app);
  Result<ExitCode> (*run)(const Session& session);
};

namespace commands {
std::span<const Command* const> All();

// nullptr when there is none.
inline const Command* Find(std::string_view name) {
  for (const Command* command : All()) {
    if (command->name == name) return command;
  }
  return nullptr;
}
}  // namespace commands

}  // namespace assay
