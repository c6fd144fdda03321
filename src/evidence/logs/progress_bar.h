// SPDX-License-Identifier: Apache-2.0
#pragma once

// Joins the states of progress bars, as they come in one log, into bars.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evidence/codecs/bar_state.h"
#include "evidence/facts/fact_store.h"

namespace assay {

class ProgressTracker {
 public:
  void Add(const BarState& state, const Citation& cite, std::optional<int> rank);
  void Finish(FactStore& facts);  // pushes every bar, in order of first appearance

 private:
  std::optional<std::size_t> IndexOf(std::string_view description, int rank);
  std::size_t Open(const BarState& state, std::string_view description, const Citation& cite, std::optional<int> rank);

  static constexpr std::size_t kMaxBars = 4096;  // past it, later bars replace the last one
  std::vector<ProgressBar> bars_;
  std::vector<std::uint64_t> strides_;
  std::vector<std::uint64_t> seen_;
  using Key = std::pair<int, std::string>;
  std::map<Key, std::size_t> open_;  // by rank, -1 for none, and description
  // The bar of the last state: states of one bar follow each other.
  std::optional<std::size_t> last_index_;
  int last_rank_ = -1;
  std::string last_description_;
};

}  // namespace assay
