// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/terminal_replay.h"

#include <algorithm>

#include "base/text.h"

namespace assay {
namespace {

constexpr char kEscape = '\x1b';

bool IsRestart(char c) { return c == '\r' || c == '\b'; }

// Length of the escape sequence at the start of `text`: CSI, OSC (ended by BEL or ESC \), or two bytes.
std::size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    std::size_t i = 2;
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
    return std::min(i + 1, text.size());
  }
  if (text[1] == ']') {
    for (std::size_t i = 2; i < text.size(); ++i) {
      if (text[i] == '\a') return i + 1;
      if (text[i] == kEscape && i + 1 < text.size() && text[i + 1] == '\\') return i + 2;
    }
    return text.size();
  }
  return 2;
}

std::string WithoutEscapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == kEscape) {
      i += EscapeLength(text.substr(i));
    } else {
      out.push_back(text[i++]);
    }
  }
  return out;
}

bool IsBlank(std::string_view text) { return std::all_of(text.begin(), text.end(), IsSpace); }

}  // namespace

const std::vector<LineSegment>& TerminalReplay::Replay(std::string_view line) {
  segments_.clear();
  storage_.clear();
  const bool has_escape = line.find(kEscape) != std::string_view::npos;
  // Views into the strings must survive the vector's growth.
  if (has_escape) storage_.reserve(static_cast<std::size_t>(std::count_if(line.begin(), line.end(), IsRestart)) + 1);
  std::size_t begin = 0;
  while (begin <= line.size()) {
    const auto stop = std::find_if(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), IsRestart);
    const auto end = static_cast<std::size_t>(stop - line.begin());
    std::string_view text = line.substr(begin, end - begin);
    if (has_escape && text.find(kEscape) != std::string_view::npos) text = storage_.emplace_back(WithoutEscapes(text));
    if (!IsBlank(text)) segments_.push_back({.text = text, .begin = begin, .end = end});
    begin = end + 1;
  }
  return segments_;
}

}  // namespace assay
