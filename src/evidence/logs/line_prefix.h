// SPDX-License-Identifier: Apache-2.0
#pragma once

// What launchers and loggers put in front of a line: times, ranks, levels, logger names, pod and host names. Peeled so that the
// dialects see what the framework printed; what was peeled is kept.

#include <optional>
#include <string_view>

#include "base/time.h"

namespace assay {

struct PeeledLine {
  std::string_view text;  // what is left, leading blanks kept out
  std::string_view body;  // the same with its own indentation: tracebacks need it
  std::optional<int> rank;
  std::optional<Time> time;
};

// What only the whole log can tell.
struct PeelOptions {
  bool numbered_by_srun = false;  // `srun -l` writes "3: " in front of every line
  bool prefixed_by_host = false;  // pdsh writes "node17: " in front of every line
  bool docker_json = false;       // every line is an object of Docker's json-file driver (logs/docker_line.h)
};

PeeledLine PeelPrefix(std::string_view line, const PeelOptions& options);

// From the first lines of a log: a prefix that nearly every one of them has is one.
PeelOptions DetectPeelOptions(std::string_view head);

}  // namespace assay
