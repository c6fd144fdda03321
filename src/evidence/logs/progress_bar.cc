// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/progress_bar.h"

#include <array>

#include "base/text.h"

namespace assay {
namespace {

bool DescribesEvaluation(std::string_view description) {
  constexpr std::array<std::string_view, 6> kWords{"valid", "eval", "test", "predict", "sanity", "inference"};
  const std::string lower = ToLower(description);
  for (const std::string_view word : kWords) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return lower == "val" || lower.starts_with("val ") || lower.starts_with("val:");
}

}  // namespace

void ProgressTracker::Add(const BarState& state, const Citation& cite, std::optional<int> rank) {
  std::string key = std::to_string(rank.value_or(-1)) + " " + std::string(state.description);
  const auto it = open_.find(key);
  const bool goes_on = it != open_.end() && state.position >= bars_[it->second].last && state.total == bars_[it->second].total;
  if (!goes_on) {
    if (bars_.size() == kMaxBars) {
      bars_.pop_back();
      strides_.pop_back();
      seen_.pop_back();
    }
    bars_.push_back(ProgressBar{.description = Printable(state.description, 80),
                                .first = state.position,
                                .last = state.position,
                                .total = state.total,
                                .elapsed = state.elapsed,
                                .samples = {},
                                .evaluation = DescribesEvaluation(state.description),
                                .rank = rank,
                                .first_cite = cite,
                                .cite = cite});
    strides_.push_back(1);
    seen_.push_back(0);
    open_.insert_or_assign(std::move(key), bars_.size() - 1);
  }
  const std::size_t index = goes_on ? it->second : bars_.size() - 1;
  ProgressBar& bar = bars_[index];
  bar.last = state.position;
  bar.elapsed = std::max(bar.elapsed, state.elapsed);
  bar.cite = cite;
  if (seen_[index]++ % strides_[index] != 0) return;
  bar.samples.emplace_back(state.position, state.elapsed);
  if (bar.samples.size() < 64) return;
  for (std::size_t i = 0; i < 32; ++i) bar.samples[i] = bar.samples[2 * i];
  bar.samples.resize(32);
  strides_[index] *= 2;
}

void ProgressTracker::Finish(FactStore& facts) {
  for (ProgressBar& bar : bars_) facts.Add(std::move(bar));
}

}  // namespace assay
