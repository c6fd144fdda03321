// SPDX-License-Identifier: Apache-2.0
#pragma once

// What launchers and loggers put in front of a line: times, ranks, levels, logger names, pod and host names. Peeled so that the
// dialects see what the framework printed; what was peeled is kept.

#include <optional>
#include <string_view>

#include "base/time.h"

namespace assay {

struct PeeledLine {
  std::string_view text;     // what is left, leading blanks kept out
  std::string_view body;     // the same with its own indentation: tracebacks need it
  std::optional<int> rank;
  std::optional<Time> time;
};

struct PeelOptions {
  bool numbered_by_srun = false;  // `srun -l` writes "3: " in front of every line; only the whole log can tell
};

PeeledLine PeelPrefix(std::string_view line, const PeelOptions& options);

// True when nearly every one of the first lines of a log starts with a task number and ": ".
bool LooksNumberedBySrun(std::string_view first_window);

}  // namespace assay
