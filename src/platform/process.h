// SPDX-License-Identifier: Apache-2.0
#pragma once

// Other processes, always with a deadline: a dead mount or a stuck driver must not hang assay.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace assay {

struct CommandResult {
  std::string output;                // standard output, at most the limit
  std::string errors;                // standard error, at most 64 KiB
  std::optional<int> exit_status;    // absent when it was ended by a signal or by the deadline
  bool timed_out = false;
};

// Runs argv[0] (looked up in PATH) without a shell and without standard input. kNotFound when there is no such program.
Result<CommandResult> RunCommand(const std::vector<std::string>& argv, double deadline_seconds,
                                 std::size_t output_limit = std::size_t{8} << 20U);

// Runs `work` in a forked child and returns the text that it made. nullopt when it did not finish by the deadline (the child
// is killed; one that cannot die is left behind, never waited for) or died.
std::optional<std::string> RunInChild(const std::function<std::string()>& work, double deadline_seconds);

}  // namespace assay
