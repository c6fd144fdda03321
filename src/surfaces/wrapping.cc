// SPDX-License-Identifier: Apache-2.0
#include "surfaces/wrapping.h"

#include <algorithm>

#include "base/text.h"

namespace assay {
namespace {

// How many bytes of a line stand before its text: blanks, the marker of a list, the first column of a table.
std::size_t LeadOf(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (line.substr(first).starts_with("- ")) return first + 2;
  const std::size_t digits = line.find_first_not_of("0123456789", first);
  if (digits != std::string_view::npos && digits > first && line.substr(digits).starts_with(". ")) return digits + 2;
  const std::size_t gap = line.find("  ", first);
  return gap == std::string_view::npos ? first : std::min(line.find_first_not_of(' ', gap), line.size());
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::string> WrapWords(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines(1);
  std::size_t column = 0;
  for (const std::string_view word : Split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t width = DisplayWidth(word);
    if (column > 0 && column + 1 + width > columns) {
      lines.emplace_back();
      column = 0;
    }
    if (column > 0) {
      lines.back() += ' ';
      ++column;
    }
    lines.back() += word;
    column += width;
  }
  return lines;
}

std::string WrapPage(std::string_view page, std::size_t width) {
  std::string out;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (DisplayWidth(line) <= width) {
      out.append(line).append("\n");
      continue;
    }
    const std::size_t lead = LeadOf(line);
    const std::size_t indent = DisplayWidth(line.substr(0, lead));
    bool first = true;
    for (const std::string& text : WrapWords(line.substr(lead), width > indent ? width - indent : 1)) {
      out += first ? std::string(line.substr(0, lead)) : std::string(indent, ' ');
      out.append(text).append("\n");
      first = false;
    }
  }
  return out;
}

}  // namespace assay
