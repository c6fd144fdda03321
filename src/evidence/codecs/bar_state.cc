// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/bar_state.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::size_t kExact = 15;  // characters of a number that a double holds exactly

// Digits only, few enough to be exact; the common case, without a detour over a general number.
std::optional<double> ParseDigits(std::string_view text) {
  if (text.empty() || text.size() > kExact) return std::nullopt;
  std::uint64_t value = 0;
  unsigned other = 0;
  for (const char c : text) {
    const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
    other |= static_cast<unsigned>(digit > 9);
    value = value * 10 + digit;
  }
  return other == 0 ? std::optional(static_cast<double>(value)) : std::nullopt;
}

// "05:16" and "1:02:03" alone; the common case too.
std::optional<double> ParseClock(std::string_view text) {
  if (text.size() > kExact) return std::nullopt;
  std::uint64_t seconds = 0;
  std::uint64_t part = 0;
  int parts = 1;
  bool digit = false;
  for (const char c : text) {
    if (IsDigit(c)) {
      part = part * 10 + static_cast<std::uint64_t>(c - '0');
      digit = true;
    } else if (c == ':' && digit) {
      seconds = (seconds + part) * 60;
      part = 0;
      digit = false;
      ++parts;
    } else {
      return std::nullopt;
    }
  }
  return parts >= 2 && digit ? std::optional(static_cast<double>(seconds + part)) : std::nullopt;
}

// "05:16", "1:02:03", "2 days, 1:02:03".
std::optional<double> ParseElapsed(std::string_view text) {
  if (const auto clock = ParseClock(text)) return clock;
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
  if (const auto plain = ParseDigits(text)) return plain;
  const auto number = ParseNumberPrefix(text);
  if (!number) return std::nullopt;
  const std::string_view unit = text.substr(number->length);
  if (unit.starts_with('k')) return number->value * 1e3;
  if (unit.starts_with('M')) return number->value * 1e6;
  if (unit.starts_with('G')) return number->value * 1e9;
  return number->value;
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
  std::size_t elapsed_end = 0;
  while (elapsed_end < inside.size() && inside[elapsed_end] != '<' && inside[elapsed_end] != ',' && inside[elapsed_end] != ']')
    ++elapsed_end;
  state.elapsed = ParseElapsed(inside.substr(0, elapsed_end)).value_or(0);
  // The rate is the part behind the times, if it is no "name=value"; the postfix follows it.
  const std::size_t comma = inside.find(", ");
  if (comma != std::string_view::npos) {
    inside.remove_prefix(comma + 2);
    const std::size_t rate_end = inside.find(", ");
    const bool has_rate = inside.substr(0, rate_end).find('=') == std::string_view::npos;
    if (has_rate) state.rate = inside.substr(0, rate_end);
    if (!has_rate) {
      state.postfix = inside;
    } else if (rate_end != std::string_view::npos) {
      state.postfix = inside.substr(rate_end + 2);
    }
    state.postfix = state.postfix.substr(0, state.postfix.find(']'));
  }
  return state;
}

// Of "1866.12 examples/s", "2.60s/it", "1.61MB/s" it is never the second.
std::string_view UnitOf(const BarState& state) {
  std::string_view rate = Trim(state.rate.substr(0, state.rate.find(']')));
  while (!rate.empty() && (IsDigit(rate[0]) || rate[0] == '.' || rate[0] == '?')) rate.remove_prefix(1);
  rate = Trim(rate);
  if (rate.starts_with("s/")) return rate.substr(2);
  return rate.ends_with("/s") ? rate.substr(0, rate.size() - 2) : std::string_view{};
}

bool CountsPreparation(const BarState& state) {
  static constexpr std::array<std::string_view, 15> kUnits{"examples", "ex", "ba", "files", "file", "shards", "shard", "B",
                                                           "kB",       "MB", "GB", "KiB",   "MiB",  "docs",   "rows"};
  if (std::find(kUnits.begin(), kUnits.end(), UnitOf(state)) != kUnits.end()) return true;
  static constexpr std::array<std::string_view, 12> kWork{"Map",
                                                          "Filter",
                                                          "Tokeniz",
                                                          "Running tokenizer",
                                                          "Downloading",
                                                          "Fetching",
                                                          "Generating",
                                                          "Loading checkpoint",
                                                          "Loading weights",
                                                          "Saving the dataset",
                                                          "Grouping texts",
                                                          "Resolving data files"};
  return std::any_of(kWork.begin(), kWork.end(), [&](std::string_view work) { return state.description.starts_with(work); });
}

}  // namespace assay
