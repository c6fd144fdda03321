// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of tables printed for people: cells apart by two blanks, tabs, '|' or the vertical rules of Rich.

#include <string_view>
#include <vector>

namespace assay {

// The cells of a line, trimmed; views into `text`. Empty cells count only between rules, since blanks alone cannot show them.
// False when there are more than `limit`.
bool SplitCells(std::string_view text, std::vector<std::string_view>& cells, std::size_t limit);

// The line holds nothing but rules: dashes, '=', '+', '|', ':' and box-drawing characters.
bool IsRuleLine(std::string_view text);

}  // namespace assay
