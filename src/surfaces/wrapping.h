// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text that fits a terminal: the one place that breaks lines.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Columns of a UTF-8 text, one per code point: artifact text was made printable before.
std::size_t DisplayWidth(std::string_view text);

// The words of `text` in lines of at most `columns`; a word longer than that stands alone. At least one line.
std::vector<std::string> WrapWords(std::string_view text, std::size_t columns);

// Every line of a page at most `width` columns wide. What overflows goes on under the text of its line: behind the marker of a
// list, in the second column of a table ("  --run ID     Run id …"), else under the first character.
std::string WrapPage(std::string_view page, std::size_t width);

}  // namespace assay
