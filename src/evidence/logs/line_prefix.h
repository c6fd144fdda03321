// SPDX-License-Identifier: Apache-2.0
#pragma once

// What launchers and loggers put in front of a line: times, ranks, levels, logger names, pod and host names. Peeled so that the
// dialects see what the framework printed; what was peeled is kept.

#include <optional>
#include <string>
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
  std::string service;            // docker compose writes "trainer-1  | " in front of every line of this service
};

PeeledLine PeelPrefix(std::string_view line, const PeelOptions& options);

// The line as the program printed it, without what collected it: compose's service, the runtime's time and stream, Ray's worker.
// A line of another service keeps its name: it is not this program's.
std::string_view WithoutCollector(std::string_view line, const PeelOptions& options);

// From the first lines of a log: a prefix that nearly every one of them has is one.
PeelOptions DetectPeelOptions(std::string_view head);

}  // namespace assay
