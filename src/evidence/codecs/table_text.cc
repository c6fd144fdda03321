// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/table_text.h"

#include "base/text.h"

namespace assay {
namespace {

// U+2502 and U+2503, light and heavy.
bool IsVerticalRule(std::string_view text) { return text.starts_with("\xE2\x94\x82") || text.starts_with("\xE2\x94\x83"); }

}  // namespace

bool SplitCells(std::string_view text, std::vector<std::string_view>& cells, std::size_t limit) {
  text = Trim(text);
  const bool ruled = text.find('|') != std::string_view::npos || text.find("\xE2\x94\x82") != std::string_view::npos ||
                     text.find("\xE2\x94\x83") != std::string_view::npos;
  std::size_t begin = 0;
  const auto take = [&](std::size_t end, bool border) {
    const std::string_view cell = Trim(text.substr(begin, end - begin));
    if (!cell.empty() || (ruled && !border)) cells.push_back(cell);
  };
  for (std::size_t i = 0; i < text.size();) {
    if (cells.size() > limit) return false;
    std::size_t width = 0;
    if (ruled) {
      width = text[i] == '|' ? 1 : IsVerticalRule(text.substr(i)) ? 3 : 0;
    } else if (text[i] == '\t' || (text[i] == ' ' && i + 1 < text.size() && (text[i + 1] == ' ' || text[i + 1] == '\t'))) {
      width = 1;
    }
    if (width == 0) {
      ++i;
      continue;
    }
    take(i, i == 0);
    i += width;
    begin = i;
  }
  take(text.size(), true);
  return cells.size() <= limit;
}

bool IsRuleLine(std::string_view text) {
  constexpr std::string_view kAscii = "-=+|: \t";
  for (std::size_t i = 0; i < text.size();) {
    if (kAscii.find(text[i]) != std::string_view::npos) {
      ++i;
    } else if (text.substr(i).starts_with("\xE2\x94") || text.substr(i).starts_with("\xE2\x95")) {  // U+2500 … U+257F
      i += 3;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace assay
