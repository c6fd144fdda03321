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

std::optional<std::size_t> ProgressTracker::IndexOf(std::string_view description, int rank) {
  if (last_index_ && rank == last_rank_ && description == last_description_) return last_index_;
  const auto found = open_.find(Key{rank, std::string(description)});
  return found == open_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t ProgressTracker::Open(const BarState& state, std::string_view description, const Citation& cite,
                                  std::optional<int> rank) {
  if (bars_.size() == kMaxBars) {
    bars_.pop_back();
    strides_.pop_back();
    seen_.pop_back();
    open_.clear();  // one of them was the bar that is gone
  }
  bars_.push_back(ProgressBar{.description = Printable(state.description, 80),
                              .first = state.position,
                              .last = state.position,
                              .total = state.total,
                              .elapsed = state.elapsed,
                              .samples = {},
                              .evaluation = DescribesEvaluation(description) || CountsPreparation(state),
                              .preparation = CountsPreparation(state),
                              .rank = rank,
                              .first_cite = cite,
                              .cite = cite});
  strides_.push_back(1);
  seen_.push_back(0);
  open_.insert_or_assign(Key{rank.value_or(-1), std::string(description)}, bars_.size() - 1);
  return bars_.size() - 1;
}

void ProgressTracker::Add(const BarState& state, const Citation& cite, std::optional<int> rank) {
  constexpr std::size_t kLongestDescription = 200;
  const std::string_view description = state.description.substr(0, kLongestDescription);
  const std::optional<std::size_t> known = IndexOf(description, rank.value_or(-1));
  const bool goes_on = known && state.position >= bars_[*known].last && state.total == bars_[*known].total;
  const std::size_t index = goes_on ? *known : Open(state, description, cite, rank);
  if (index != last_index_) {
    last_index_ = index;
    last_rank_ = rank.value_or(-1);
    last_description_ = description;
  }
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
