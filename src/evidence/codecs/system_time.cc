// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/system_time.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 7> kDays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Takes words off the front and remembers how much of the text was used.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  std::string_view Next() {
    std::size_t begin = at_;
    while (begin < text_.size() && text_[begin] == ' ') ++begin;
    std::size_t end = begin;
    while (end < text_.size() && !IsSpace(text_[end]) && text_[end] != ']') ++end;
    at_ = end;
    return text_.substr(begin, end - begin);
  }
  std::size_t used() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

int MonthOf(std::string_view word) {
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (word == kMonths[i]) return static_cast<int>(i) + 1;
  }
  return 0;
}

bool IsDay(std::string_view word) {
  for (const std::string_view day : kDays) {
    if (word == day) return true;
  }
  return false;
}

bool AllDigits(std::string_view text, std::size_t at_least, std::size_t at_most) {
  if (text.size() < at_least || text.size() > at_most) return false;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

bool IsClock(std::string_view text) {
  return text.size() == 8 && text[2] == ':' && text[5] == ':' && AllDigits(text.substr(0, 2), 2, 2) &&
         AllDigits(text.substr(3, 2), 2, 2) && AllDigits(text.substr(6, 2), 2, 2);
}

std::optional<TimePrefix> Compose(std::string_view year, int month, std::string_view day, std::string_view clock,
                                  std::string_view zone, std::size_t length) {
  if (!AllDigits(year, 4, 4) || month == 0 || !AllDigits(day, 1, 2) || !IsClock(clock)) return std::nullopt;
  const std::string iso = fmt::format("{}-{:02}-{:0>2}T{}{}", year, month, day, clock, zone);
  const auto time = ParseTimePrefix(iso);
  if (!time) return std::nullopt;
  return TimePrefix{time->time, length};
}

}  // namespace

std::optional<TimePrefix> ParseSystemTime(std::string_view text) {
  if (const auto iso = ParseTimePrefix(text)) return iso;
  Words words(text);
  std::string_view first = words.Next();
  const bool comma = first.ends_with(',');
  if (comma) first.remove_suffix(1);
  if (!IsDay(first)) return std::nullopt;
  const std::string_view second = words.Next();
  if (comma) {  // "30 Mar 2026 06:11:31 +0000"
    const int month = MonthOf(words.Next());
    const std::string_view year = words.Next();
    const std::string_view clock = words.Next();
    const std::size_t without_zone = words.used();
    const std::string_view zone = words.Next();
    if (zone == "GMT" || zone == "UTC") return Compose(year, month, second, clock, "Z", words.used());
    const bool offset = zone.size() == 5 && (zone[0] == '+' || zone[0] == '-') && AllDigits(zone.substr(1), 4, 4);
    return Compose(year, month, second, clock, offset ? zone : "", offset ? words.used() : without_zone);
  }
  // "Mar 17 13:20:31 2021", "May 11 22:39:02 UTC 2026", "May 11 10:39:02 PM UTC 2026" is left alone: its hour is not what it
  // says.
  const int month = MonthOf(second);
  const std::string_view day = words.Next();
  const std::string_view clock = words.Next();
  const std::string_view next = words.Next();
  if (AllDigits(next, 4, 4)) return Compose(next, month, day, clock, "", words.used());
  if (next == "AM" || next == "PM") return std::nullopt;
  const std::string_view year = words.Next();
  return Compose(year, month, day, clock, next == "UTC" || next == "GMT" ? "Z" : "", words.used());
}

std::optional<double> ParseClockDuration(std::string_view text) {
  double days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    if (!AllDigits(text.substr(0, dash), 1, 6)) return std::nullopt;
    days = ParseNumber(text.substr(0, dash)).value_or(0);
    text.remove_prefix(dash + 1);
  }
  double seconds = 0;
  const std::vector<std::string_view> parts = Split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const std::string_view whole = last ? parts[i].substr(0, parts[i].find('.')) : parts[i];
    if (!AllDigits(whole, 1, 4)) return std::nullopt;
    const auto value = ParseNumber(parts[i]);
    if (!value) return std::nullopt;
    seconds = seconds * 60 + *value;
  }
  return days * 86400 + seconds;
}

}  // namespace assay
