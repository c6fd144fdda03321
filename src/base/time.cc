// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "base/text.h"

namespace assay {
namespace {

// Howard Hinnant's civil-from-days and its inverse, for the proleptic Gregorian calendar.
std::int64_t DaysFromCivil(std::int64_t y, unsigned m, unsigned d) {
  y -= m <= 2 ? 1 : 0;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const auto yoe = static_cast<unsigned>(y - era * 400);
  const unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  const unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + static_cast<std::int64_t>(doe) - 719468;
}

struct Civil {
  std::int64_t year;
  unsigned month;
  unsigned day;
};
Civil CivilFromDays(std::int64_t z) {
  z += 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const auto doe = static_cast<unsigned>(z - era * 146097);
  const unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const unsigned mp = (5 * doy + 2) / 153;
  const unsigned month = mp < 10 ? mp + 3 : mp - 9;
  return {static_cast<std::int64_t>(yoe) + era * 400 + (month <= 2 ? 1 : 0), month, doy - (153 * mp + 2) / 5 + 1};
}

// Exactly `digits` digits at `at`, or nullopt.
std::optional<unsigned> Digits(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  unsigned value = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    if (!IsDigit(text[i])) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(text[i] - '0');
  }
  return value;
}

bool CharIs(std::string_view text, std::size_t at, std::string_view any_of) {
  return at < text.size() && any_of.find(text[at]) != std::string_view::npos;
}

}  // namespace

std::optional<TimePrefix> ParseTimePrefix(std::string_view text) {
  const auto year = Digits(text, 0, 4);
  if (!year || !CharIs(text, 4, "-/")) return std::nullopt;
  const auto month = Digits(text, 5, 2);
  if (!month || !CharIs(text, 7, "-/")) return std::nullopt;
  const auto day = Digits(text, 8, 2);
  if (!day || !CharIs(text, 10, "T _")) return std::nullopt;
  const auto hour = Digits(text, 11, 2);
  const auto minute = Digits(text, 14, 2);
  const auto second = Digits(text, 17, 2);
  if (!hour || !minute || !second || !CharIs(text, 13, ":") || !CharIs(text, 16, ":")) return std::nullopt;
  if (*month < 1 || *month > 12 || *day < 1 || *day > 31 || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  std::size_t length = 19;
  double fraction = 0;
  if (CharIs(text, length, ".,") && length + 1 < text.size() && IsDigit(text[length + 1])) {
    double unit = 0.1;
    for (++length; length < text.size() && IsDigit(text[length]); ++length, unit /= 10) fraction += unit * (text[length] - '0');
  }
  Time time{
      static_cast<double>(DaysFromCivil(*year, *month, *day)) * 86400.0 + *hour * 3600.0 + *minute * 60.0 + *second + fraction,
      false};
  if (CharIs(text, length, "Z")) {
    time.zoned = true;
    ++length;
  } else if (CharIs(text, length, "+-")) {
    const double sign = text[length] == '-' ? -1 : 1;
    const auto zone_hour = Digits(text, length + 1, 2);
    const std::size_t colon = CharIs(text, length + 3, ":") ? 1 : 0;
    const auto zone_minute = Digits(text, length + 3 + colon, 2);
    if (zone_hour && zone_minute && *zone_hour <= 14 && *zone_minute <= 59) {
      time.seconds -= sign * (*zone_hour * 3600.0 + *zone_minute * 60.0);
      time.zoned = true;
      length += 5 + colon;
    }
  }
  return TimePrefix{time, length};
}

std::string FormatTime(const Time& time) {
  const double floor_seconds = std::floor(time.seconds);
  if (!(std::abs(floor_seconds) < 1e12)) return "unknown";
  const auto whole = static_cast<std::int64_t>(floor_seconds);
  const std::int64_t days = whole >= 0 ? whole / 86400 : (whole - 86399) / 86400;
  const std::int64_t rest = whole - days * 86400;
  const Civil date = CivilFromDays(days);
  const auto milliseconds = static_cast<int>((time.seconds - floor_seconds) * 1000);
  std::string out =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month, date.day, rest / 3600, rest / 60 % 60, rest % 60);
  if (milliseconds > 0) out += fmt::format(".{:03}", milliseconds);
  if (time.zoned) out += "Z";
  return out;
}

}  // namespace assay
