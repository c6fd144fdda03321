// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/progress_bar.h"

#include <array>

#include "base/text.h"

namespace assay {
namespace {

// "05:16", "1:02:03", "2 days, 1:02:03".
std::optional<double> ParseElapsed(std::string_view text) {
  double days = 0;
  if (const std::size_t day = text.find(" day"); day != std::string_view::npos) {
    days = ParseNumber(Trim(text.substr(0, day))).value_or(0);
    const std::size_t comma = text.find(", ");
    if (comma == std::string_view::npos) return std::nullopt;
    text.remove_prefix(comma + 2);
  }
  double seconds = 0;
  int parts = 0;
  for (const std::string_view part : Split(Trim(text), ':')) {
    const auto value = ParseNumber(part);
    if (!value) return std::nullopt;
    seconds = seconds * 60 + *value;
    ++parts;
  }
  return parts >= 2 ? std::optional(days * 86400 + seconds) : std::nullopt;
}

// "18204", "1.2k", "3M".
std::optional<double> ParseCount(std::string_view text) {
  const auto number = ParseNumberPrefix(text);
  if (!number) return std::nullopt;
  const std::string_view unit = text.substr(number->length);
  if (unit.starts_with('k')) return number->value * 1e3;
  if (unit.starts_with('M')) return number->value * 1e6;
  if (unit.starts_with('G')) return number->value * 1e9;
  return number->value;
}

bool DescribesEvaluation(std::string_view description) {
  constexpr std::array<std::string_view, 6> kWords{"valid", "eval", "test", "predict", "sanity", "inference"};
  const std::string lower = ToLower(description);
  for (const std::string_view word : kWords) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return lower == "val" || lower.starts_with("val ") || lower.starts_with("val:");
}

}  // namespace

std::optional<BarState> ParseBar(std::string_view text) {
  BarState state;
  std::string_view counts;
  std::size_t bracket = std::string_view::npos;
  const std::size_t percent = text.find("%|");
  if (percent != std::string_view::npos) {
    std::size_t number = percent;
    while (number > 0 && IsDigit(text[number - 1])) --number;
    if (number == percent) return std::nullopt;
    state.description = Trim(text.substr(0, number));
    const std::size_t bar_end = text.find('|', percent + 2);
    if (bar_end == std::string_view::npos) return std::nullopt;
    bracket = text.find('[', bar_end);
    counts = Trim(text.substr(bar_end + 1, bracket == std::string_view::npos ? bracket : bracket - bar_end - 1));
  } else {
    bracket = text.find("it [");
    if (bracket == std::string_view::npos) return std::nullopt;
    std::size_t number = bracket;
    while (number > 0 && (IsDigit(text[number - 1]) || text[number - 1] == '.')) --number;
    if (number == bracket) return std::nullopt;
    state.description = Trim(text.substr(0, number));
    counts = text.substr(number, bracket - number);
    bracket += 3;
  }
  while (state.description.ends_with(':')) state.description.remove_suffix(1);
  const std::size_t slash = counts.find('/');
  const auto position = ParseCount(counts.substr(0, slash));
  if (!position) return std::nullopt;
  state.position = *position;
  if (slash != std::string_view::npos) state.total = ParseCount(counts.substr(slash + 1)).value_or(0);
  if (bracket == std::string_view::npos) return state;  // "31%|###1      | 18204/58692" alone
  std::string_view inside = text.substr(bracket + 1);
  const std::size_t elapsed_end = inside.find_first_of("<,]");
  state.elapsed = ParseElapsed(inside.substr(0, elapsed_end)).value_or(0);
  // The rate is the first comma-separated part that ends in "/s" or "/it"; the postfix follows it.
  const std::size_t comma = inside.find(", ");
  if (comma != std::string_view::npos) {
    inside.remove_prefix(comma + 2);
    const std::size_t rate_end = inside.find(", ");
    if (rate_end != std::string_view::npos) state.postfix = inside.substr(rate_end + 2);
    if (state.postfix.ends_with(']')) state.postfix.remove_suffix(1);
  }
  return state;
}

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
