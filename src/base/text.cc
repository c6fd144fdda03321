// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "base/whole_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace assay {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool StartsWithWord(std::string_view text, std::string_view lower_word) {
  if (text.size() < lower_word.size()) return false;
  for (std::size_t i = 0; i < lower_word.size(); ++i) {
    if (Lower(text[i]) != lower_word[i]) return false;
  }
  return true;
}

// Length of the UTF-8 sequence at the start of `text` and its code point, or length 0 when it is not valid there.
struct Utf8Char {
  std::size_t length;
  char32_t code;
};
Utf8Char DecodeUtf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, first};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {0, 0};
  char32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {0, 0};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {0, 0};
  return {length, code};
}

// Characters that move the cursor, hide or reorder text on a terminal or in a browser.
bool IsTreacherous(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

// A number of few enough digits to be exact: one multiplication or division of two exact doubles rounds once, as it should
// (W. D. Clinger, 1990). `digits` stand before the point. nullopt for what needs more care, and for what is no such number.
std::optional<NumberPrefix> ParseShortDecimal(std::string_view text, std::size_t digits) {
  constexpr std::size_t kExactDigits = 15;  // 10^15 < 2^53
  constexpr std::array<double, 23> kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (digits == 0 || digits > kExactDigits) return std::nullopt;
  std::uint64_t mantissa = 0;
  std::size_t at = 0;
  for (; at < digits; ++at) mantissa = mantissa * 10 + static_cast<std::uint64_t>(text[at] - '0');
  int exponent = 0;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && IsDigit(text[at]); ++at) {
      if (at > kExactDigits) return std::nullopt;
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(text[at] - '0');
      --exponent;
    }
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t behind = at + 1;
    const bool negative = behind < text.size() && text[behind] == '-';
    if (behind < text.size() && (text[behind] == '-' || text[behind] == '+')) ++behind;
    const std::size_t first = behind;
    int written = 0;
    for (; behind < text.size() && IsDigit(text[behind]); ++behind) {
      if (behind - first == 3) return std::nullopt;
      written = written * 10 + (text[behind] - '0');
    }
    if (behind > first) {
      exponent += negative ? -written : written;
      at = behind;
    }
  }
  const auto power = static_cast<std::size_t>(std::abs(exponent));
  if (power >= kPowers.size()) return std::nullopt;
  const auto value = static_cast<double>(mantissa);
  return NumberPrefix{exponent < 0 ? value / kPowers[power] : value * kPowers[power], at};
}

}  // namespace

std::string_view WithoutStop(std::string_view text) {
  while (!text.empty() && (IsSpace(text.back()) || text.back() == '.' || text.back() == ':')) text.remove_suffix(1);
  return text;
}

std::string ToLower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), Lower);
  return out;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return Lower(x) == Lower(y); });
}

bool ContainsIgnoreCase(std::string_view text, std::string_view lower_needle) {
  const auto it = std::search(text.begin(), text.end(), lower_needle.begin(), lower_needle.end(),
                              [](char x, char y) { return Lower(x) == y; });
  return it != text.end() || lower_needle.empty();
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::optional<NumberPrefix> ParseNumberPrefix(std::string_view text, bool thousands) {
  std::size_t i = 0;
  bool negative = false;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  const std::string_view rest = text.substr(i);
  if (!rest.empty() && (Lower(rest[0]) == 'n' || Lower(rest[0]) == 'i')) {
    for (const auto& [word, value] : {std::pair<std::string_view, double>{"nan", std::numeric_limits<double>::quiet_NaN()},
                                      {"infinity", std::numeric_limits<double>::infinity()},
                                      {"inf", std::numeric_limits<double>::infinity()}}) {
      if (StartsWithWord(rest, word) && (rest.size() == word.size() || !IsIdentifierChar(rest[word.size()]))) {
        return NumberPrefix{negative ? -value : value, i + word.size()};
      }
    }
  }
  // The common case first: digits and a point, no separators; then the separators are taken out.
  if (rest.empty() || !(IsDigit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && IsDigit(rest[1])))) return std::nullopt;
  std::size_t digits = 0;
  while (digits < rest.size() && IsDigit(rest[digits])) ++digits;
  const auto separates = [&](std::size_t at) {
    return (rest[at] == '_' && at + 1 < rest.size() && IsDigit(rest[at + 1])) ||
           (thousands && rest[at] == ',' && at + 3 < rest.size() && IsDigit(rest[at + 1]) && IsDigit(rest[at + 2]) &&
            IsDigit(rest[at + 3]));
  };
  double value = 0;
  if (digits > 0 && digits < rest.size() && separates(digits)) {
    std::string plain(rest.substr(0, digits));
    std::size_t at = digits;
    while (at < rest.size() && (IsDigit(rest[at]) || separates(at))) {
      if (IsDigit(rest[at])) plain.push_back(rest[at]);
      ++at;
    }
    const std::size_t integer_end = at;
    while (at < rest.size() && (IsDigit(rest[at]) || (rest[at] == '.' && at == integer_end))) plain.push_back(rest[at++]);
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    if (error != std::errc{} || end != plain.data() + plain.size()) return std::nullopt;
    return NumberPrefix{negative ? -value : value, i + at};
  }
  if (const auto number = ParseShortDecimal(rest, digits)) {
    return NumberPrefix{negative ? -number->value : number->value, i + number->length};
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone; the text is a number all the same: too large is infinite, too small is zero.
    const std::string_view token = rest.substr(0, static_cast<std::size_t>(end - rest.data()));
    const std::size_t exponent = token.find_first_of("eE");
    const bool small = exponent != std::string_view::npos && token.substr(exponent).find('-') != std::string_view::npos;
    value = small ? 0.0 : std::numeric_limits<double>::infinity();
  } else if (error != std::errc{}) {
    return std::nullopt;
  }
  return NumberPrefix{negative ? -value : value, i + static_cast<std::size_t>(end - rest.data())};
}

std::optional<double> ParseNumber(std::string_view text) {
  const auto prefix = ParseNumberPrefix(text);
  if (!prefix || prefix->length != text.size()) return std::nullopt;
  return prefix->value;
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseByteSize(std::string_view text) {
  text = Trim(text);
  const auto number = ParseNumberPrefix(text);
  if (!number || !std::isfinite(number->value)) return std::nullopt;
  const std::string unit = ToLower(Trim(text.substr(number->length)));
  if (unit.empty() || unit == "b" || unit == "byte" || unit == "bytes") return number->value;
  constexpr std::string_view kScale = "kmgtp";
  const std::size_t power = kScale.find(unit[0]);
  const std::string_view tail = std::string_view(unit).substr(1);
  if (power == std::string_view::npos || !(tail.empty() || tail == "b" || tail == "ib" || tail == "i")) return std::nullopt;
  return number->value * std::pow(1024.0, static_cast<double>(power + 1));
}

std::string FormatBytes(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < kUnits.size()) bytes /= 1024, ++unit;
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.2f} {}", bytes, kUnits[unit]);
}

std::string FormatSeconds(double seconds) {
  if (!std::isfinite(seconds)) return "unknown time";
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  const std::int64_t minutes = NearestWhole(seconds / 60);
  if (minutes < 120) return fmt::format("{} min", minutes);
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string FormatNumber(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.5g}", value);
}

std::string Plural(std::uint64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

std::string Printable(std::string_view text, std::size_t limit) {
  constexpr std::string_view kCut = "…";
  std::string out;
  std::size_t safe = 0;  // longest prefix that leaves room for the mark of the cut
  while (!text.empty()) {
    const Utf8Char c = DecodeUtf8(text);
    std::string piece;
    if (text[0] == '\t') {
      piece = " ";
    } else if (c.length == 0) {
      piece = fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
    } else if (IsTreacherous(c.code)) {
      piece = c.code < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c.code))
                             : fmt::format("\\u{:04x}", static_cast<unsigned>(c.code));
    } else {
      piece = std::string(text.substr(0, c.length));
    }
    if (out.size() + piece.size() > limit) {
      out.resize(safe);
      out += kCut;
      return out;
    }
    out += piece;
    if (out.size() + kCut.size() <= limit) safe = out.size();
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
  }
  return out;
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = DecodeUtf8(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit) return limit + 1;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return std::min(previous[b.size()], limit + 1);
}

}  // namespace assay
