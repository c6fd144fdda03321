// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bars in the form of tqdm: "Epoch 3:  55%|█████     | 55/100 [00:01<00:00, 50.0it/s, loss=0.5]" and, without a total,
// "200it [05:16, 1.58s/it]". One state is parsed here; ProgressTracker joins states into bars.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/facts/fact_store.h"

namespace assay {

struct BarState {
  std::string_view description;  // trimmed, without its colon
  double position = 0;
  double total = 0;              // 0: unknown
  double elapsed = 0;            // seconds
  std::string_view postfix;      // what stands behind the rate, or before the bracket's end
};
std::optional<BarState> ParseBar(std::string_view text);

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
