// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/field_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/text.h"

namespace assay {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsNameChar(char c) {
  return IsIdentifierChar(c) || c == '/' || c == '@' || c == '.' || c == '-' || c == '\'' || c == '(' || c == ')';
}

// "0xff", "1st" and "3D" are words; these are what loggers print behind a number.
bool IsUnit(std::string_view text) {
  constexpr std::array<std::string_view, 22> kUnits{"%",  "s",   "ms", "us", "sec", "secs", "h",   "G",  "GB", "GiB",  "M",
                                                    "MB", "MiB", "K",  "KB", "KiB", "B",    "TiB", "it", "x",  "msec", "k"};
  return text.find('/') != std::string_view::npos || std::find(kUnits.begin(), kUnits.end(), text) != kUnits.end();
}

bool IsSpacedUnit(std::string_view text) {
  constexpr std::array<std::string_view, 8> kUnits{"ms", "us", "GiB", "MiB", "KiB", "GB", "MB", "msec"};
  return std::find(kUnits.begin(), kUnits.end(), text) != kUnits.end();
}

// Of the first ':' or '=' from `from` on, or npos.
std::size_t FindSign(std::string_view text, std::size_t from) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  // Names are some words long: eight bytes at once. The lowest high bit that is set is that of the first byte which is 0.
  const auto zeros = [](std::uint64_t bytes) { return (bytes - kOnes) & ~bytes & (kOnes << 7U); };
  std::size_t i = from;
  for (std::uint64_t bytes = 0; i + sizeof(bytes) <= text.size(); i += sizeof(bytes)) {
    std::memcpy(&bytes, text.data() + i, sizeof(bytes));
    const std::uint64_t found = zeros(bytes ^ kOnes * ':') | zeros(bytes ^ kOnes * '=');
    if (found != 0) return i + static_cast<std::size_t>(std::countr_zero(found)) / 8;
  }
  for (; i < text.size(); ++i) {
    if (text[i] == ':' || text[i] == '=') return i;
  }
  return std::string_view::npos;
}

std::size_t UnitLength(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() &&
         (IsLetter(text[n]) || text[n] == '%' || (text[n] == '/' && n + 1 < text.size() && IsLetter(text[n + 1]))))
    ++n;
  return n;
}

std::size_t Blanks(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && (text[n] == ' ' || text[n] == '\t')) ++n;
  return n;
}

std::optional<Field> FieldOf(std::string_view name, std::string_view text, std::size_t& end) {
  std::size_t at = Blanks(text);
  while (at < text.size() && (text[at] == '[' || text[at] == '\'' || text[at] == '"')) ++at;
  const auto number = ReadMeasuredNumber(text.substr(at));
  if (!number) return std::nullopt;
  end = at + number->length;
  return Field{.name = name, .value = number->value, .unit = number->unit, .after = text.substr(end)};
}

}  // namespace

std::optional<MeasuredNumber> ReadMeasuredNumber(std::string_view text) {
  const auto number = ParseNumberPrefix(text, true);
  if (!number) return std::nullopt;
  std::string_view rest = text.substr(number->length);
  MeasuredNumber out{.value = number->value, .unit = {}, .length = number->length};
  if (!std::isfinite(out.value) && rest.starts_with(".0")) {  // Lightning pads what it prints: "train_loss=nan.0"
    out.length += 2;
    rest.remove_prefix(2);
  }
  if (const std::size_t unit = UnitLength(rest); unit > 0) {
    if (!IsUnit(rest.substr(0, unit))) return std::nullopt;
    out.unit = rest.substr(0, unit);
    out.length += unit;
    rest.remove_prefix(unit);
  } else if (rest.size() > 2 && rest[0] == ' ' && IsLetter(rest[1])) {
    const std::size_t spaced = UnitLength(rest.substr(1));
    if (IsSpacedUnit(rest.substr(1, spaced))) {
      out.unit = rest.substr(1, spaced);
      out.length += 1 + spaced;
      rest.remove_prefix(1 + spaced);
    }
  }
  if (rest.empty()) return out;
  if (IsIdentifierChar(rest[0])) return std::nullopt;
  const bool goes_on = rest.size() > 1 && (IsDigit(rest[1]) || IsLetter(rest[1]));
  if (goes_on && (rest[0] == ':' || rest[0] == '-' || rest[0] == '.')) return std::nullopt;
  return out;
}

std::optional<Field> WordFieldReader::Next() {
  std::size_t from = 0;
  while (from < rest_.size()) {
    const std::size_t sign = FindSign(rest_, from);
    if (sign == std::string_view::npos) break;
    std::size_t name_end = sign;
    while (name_end > 0 && rest_[name_end - 1] == ' ') --name_end;
    std::size_t name_begin = name_end;
    while (name_begin > 0 && IsNameChar(rest_[name_begin - 1])) --name_begin;
    while (name_begin < name_end && !IsLetter(rest_[name_begin]) && rest_[name_begin] != '_') ++name_begin;
    from = sign + 1;
    if (name_begin == name_end) continue;
    std::size_t end = 0;
    const auto field = FieldOf(rest_.substr(name_begin, name_end - name_begin), rest_.substr(from), end);
    if (!field) continue;
    rest_.remove_prefix(from + end);
    return field;
  }
  rest_ = {};
  return std::nullopt;
}

std::optional<Field> DelimitedFieldReader::Next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find(delimiter_);
    const std::string_view text = Trim(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + delimiter_.size());
    const std::size_t sign = between_ == Between::kSign ? FindSign(text, 0) : text.rfind(' ');
    if (sign == std::string_view::npos) continue;
    std::size_t unused = 0;
    const std::string_view name = Trim(text.substr(0, sign));
    if (name.empty()) continue;
    if (const auto field = FieldOf(name, text.substr(sign + 1), unused)) return field;
  }
  return std::nullopt;
}

std::optional<PositionOfTotal> ReadPositionOfTotal(std::string_view text) {
  std::size_t at = Blanks(text);
  const auto position = ParseNumberPrefix(text.substr(at));
  if (!position) return std::nullopt;
  at += position->length;
  at += Blanks(text.substr(at));
  if (at >= text.size() || text[at] != '/') return std::nullopt;
  ++at;
  at += Blanks(text.substr(at));
  const auto total = ParseNumberPrefix(text.substr(at));
  if (!total) return std::nullopt;
  return PositionOfTotal{.position = position->value, .total = total->value, .length = at + total->length};
}

}  // namespace assay
