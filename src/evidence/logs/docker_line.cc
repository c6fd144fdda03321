// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/docker_line.h"

#include <cstddef>
#include <cstdint>

namespace assay {
namespace {

void AppendUtf8(char32_t code, std::string& out) {
  const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | code >> 6U);
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    byte(0xE0U | code >> 12U);
    byte(0x80U | (code >> 6U & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | code >> 18U);
    byte(0x80U | (code >> 12U & 0x3FU));
    byte(0x80U | (code >> 6U & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

// Four hexadecimal digits; nullopt when they are not all there.
std::optional<char32_t> ReadHex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  char32_t code = 0;
  for (const char c : text.substr(0, 4)) {
    const char32_t digit = c >= '0' && c <= '9'   ? static_cast<char32_t>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<char32_t>(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? static_cast<char32_t>(c - 'A' + 10)
                                                  : 16;
    if (digit == 16) return std::nullopt;
    code = code << 4U | digit;
  }
  return code;
}

// The escape behind a backslash at the start of `text`; how many bytes it takes, 0 when it is cut or none.
std::size_t AppendEscape(std::string_view text, std::string& out) {
  constexpr std::string_view kNames = "nrtbf\"\\/";
  constexpr std::string_view kBytes = "\n\r\t\b\f\"\\/";
  if (text.empty()) return 0;
  if (const std::size_t i = kNames.find(text[0]); i != std::string_view::npos) {
    out.push_back(kBytes[i]);
    return 1;
  }
  if (text[0] != 'u') return 0;
  const auto code = ReadHex4(text.substr(1));
  if (!code) return 0;
  if (*code >= 0xD800 && *code < 0xDC00 && text.substr(5).starts_with("\\u")) {
    if (const auto low = ReadHex4(text.substr(7)); low && *low >= 0xDC00 && *low < 0xE000) {
      AppendUtf8(0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00), out);
      return 11;
    }
  }
  AppendUtf8(*code >= 0xD800 && *code < 0xE000 ? char32_t{0xFFFD} : *code, out);
  return 5;
}

}  // namespace

bool UnwrapDockerLine(std::string_view line, std::string& text, std::optional<Time>& time, bool& complete) {
  constexpr std::string_view kBegin = "{\"log\":\"";
  constexpr std::string_view kTime = "\"time\":\"";
  text.clear();
  time.reset();
  complete = false;
  if (!line.starts_with(kBegin)) return false;
  std::size_t i = kBegin.size();
  while (i < line.size() && line[i] != '"') {
    if (line[i] != '\\') {
      text.push_back(line[i++]);
      continue;
    }
    const std::size_t length = AppendEscape(line.substr(i + 1), text);
    if (length == 0) break;
    i += 1 + length;
  }
  complete = i < line.size() && line[i] == '"';
  if (text.ends_with('\n')) text.pop_back();
  const std::size_t at = line.find(kTime, i);
  if (at != std::string_view::npos) {
    if (const auto parsed = ParseTimePrefix(line.substr(at + kTime.size()))) time = parsed->time;
  }
  return true;
}

}  // namespace assay
