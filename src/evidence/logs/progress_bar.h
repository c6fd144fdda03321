// SPDX-License-Identifier: Apache-2.0
#pragma once

// Joins the states of progress bars, as they come in one log, into bars.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "evidence/codecs/bar_state.h"
#include "evidence/facts/fact_store.h"

namespace assay {

class ProgressTracker {
 public:
  void Add(const BarState& state, const Citation& cite, std::optional<int> rank);
  void Finish(FactStore& facts);  // pushes every bar, in order of first appearance

 private:
  static constexpr std::size_t kMaxBars = 4096;  // past it, later bars replace the last one
  std::vector<ProgressBar> bars_;
  std::vector<std::uint64_t> strides_;
  std::vector<std::uint64_t> seen_;
  std::map<std::string, std::size_t> open_;  // by rank and description
};

}  // namespace assay
