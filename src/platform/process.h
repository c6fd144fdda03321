// SPDX-License-Identifier: Apache-2.0
#pragma once

// Other processes, always with a deadline: a dead mount or a stuck driver must not hang assay.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace assay {

struct CommandResult {
  std::string output;              // standard output, at most the limit
  std::string errors;              // standard error, at most 64 KiB
  std::optional<int> exit_status;  // absent when it was ended by a signal or by the deadline
  bool timed_out = false;
};

// Runs argv[0] (looked up in PATH) without a shell and without standard input. kNotFound when there is no such program.
Result<CommandResult> RunCommand(const std::vector<std::string>& argv, double deadline_seconds,
                                 std::size_t output_limit = std::size_t{8} << 20U);

// Runs `work` in a forked child and returns the text that it made. nullopt when it did not finish by the deadline (the child
// is killed; one that cannot die is left behind, never waited for) or died.
std::optional<std::string> RunInChild(const std::function<std::string()>& work, double deadline_seconds);

// What one of several children wrote until it ended or the deadline passed.
struct ChildOutput {
  std::string text;       // at most 64 MiB
  bool finished = false;  // it ended by itself, with status 0
};
// Hands text to the parent at once, so that what came before a hang is not lost.
using ChildWriter = std::function<void(std::string_view)>;
// Runs every piece of work in a forked child of its own, all at the same time, under one deadline. A child that cannot die is
// left behind, never waited for.
std::vector<ChildOutput> RunInChildren(const std::vector<std::function<void(const ChildWriter&)>>& work, double deadline_seconds);

}  // namespace assay
