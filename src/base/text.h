// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small string helpers that the standard library lacks. All views borrow from their argument.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Text to stand inside a sentence: without the full stop, blank or colon at its end.
std::string_view WithoutStop(std::string_view text);
std::string ToLower(std::string_view text);  // ASCII only
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
bool ContainsIgnoreCase(std::string_view text, std::string_view lower_needle);
std::vector<std::string_view> Split(std::string_view text, char separator);  // keeps empty parts
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsIdentifierChar(char c) {  // [A-Za-z0-9_]
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}
inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// a == b, faster where texts of one length are a few words long: a call then costs more than the comparison.
inline bool EqualsShort(std::string_view a, std::string_view b) {
  const auto equal = [&]<class T>(std::size_t at, T x, T y) {
    std::memcpy(&x, a.data() + at, sizeof(T));
    std::memcpy(&y, b.data() + at, sizeof(T));
    return x == y;
  };
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size < sizeof(std::uint32_t)) return std::equal(a.begin(), a.end(), b.begin());
  if (size < sizeof(std::uint64_t))
    return equal(0, std::uint32_t{}, std::uint32_t{}) && equal(size - sizeof(std::uint32_t), std::uint32_t{}, std::uint32_t{});
  for (std::size_t at = 0; at + sizeof(std::uint64_t) < size; at += sizeof(std::uint64_t)) {
    if (!equal(at, std::uint64_t{}, std::uint64_t{})) return false;
  }
  return equal(size - sizeof(std::uint64_t), std::uint64_t{}, std::uint64_t{});
}

// The whole text as a number; nothing else may stand around it. Accepts what Python and loggers print: a sign, 1_000,
// 1e-05, nan, -nan, inf, Infinity (any case). Returns nullopt for anything else, also for the empty text.
std::optional<double> ParseNumber(std::string_view text);
std::optional<std::int64_t> ParseInteger(std::string_view text);

// The longest number at the start of `text`, and how many bytes it takes; nullopt when none starts there.
// "1,234" is read as 1 unless `thousands` is set.
struct NumberPrefix {
  double value;
  std::size_t length;
};
std::optional<NumberPrefix> ParseNumberPrefix(std::string_view text, bool thousands = false);

// "20.00 MiB", "1.05 GiB", "512 bytes", "10G", "8589934592": bytes, or nullopt. K, M, G, T alone and KiB… are powers of
// 1024, as every allocator prints them; KB, MB… as well, because tools that print them mean 1024 too.
std::optional<double> ParseByteSize(std::string_view text);
std::string FormatBytes(double bytes);      // "1.05 GiB"
std::string FormatSeconds(double seconds);  // "4.2 s", "12 min", "3 h 20 min"
std::string FormatNumber(double value);     // shortest form that a person reads: "0.25", "3100", "nan", "1.2e-05"
std::string Plural(std::uint64_t count, std::string_view singular);  // "1 step", "20 steps"

// Text of an artifact made safe to print: control characters, escape sequences, bidirectional overrides and invalid UTF-8
// become visible escapes (\x1b, \u202e, \xff); tabs become one blank; at most `limit` bytes, cut with "…" between characters.
std::string Printable(std::string_view text, std::size_t limit = 400);

bool IsValidUtf8(std::string_view text);

// Damerau-Levenshtein distance, at most `limit` + 1; for "did you mean".
std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace assay
