// SPDX-License-Identifier: Apache-2.0
#pragma once

// Facts about the files of a run: checkpoints by name, size, time and whether their container is whole.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/facts/source.h"

namespace assay {

struct CheckpointFile {
  static constexpr std::string_view kTitle = "a checkpoint on disk";
  enum class State { kWhole, kCut, kEmpty, kUnknown };
  State state = State::kUnknown;
  std::string why;  // why it is cut: "the zip directory is missing"
  std::uint64_t size = 0;
  double modified = 0;
  std::optional<std::int64_t> step;  // from its name
  std::string group;                 // folder and name pattern that its siblings share
  Citation cite;
};

struct RunFile {
  static constexpr std::string_view kTitle = "a file of the run";
  std::uint64_t size = 0;
  double modified = 0;
  Citation cite;
};

}  // namespace assay
