// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/dict_reader.h"

#include <array>
#include <cstddef>

#include "base/text.h"

namespace assay {
namespace {

bool IsQuote(char c) { return c == '\'' || c == '"'; }

// Index of the quote that closes the one at text[0], or npos.
std::size_t ClosingQuote(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[0]) {
      return i;
    }
  }
  return std::string_view::npos;
}

// Length of a value that is not a text: up to the comma or brace that ends it at its own depth.
std::size_t ValueLength(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsQuote(c)) {
      const std::size_t end = ClosingQuote(text.substr(i));
      if (end == std::string_view::npos) return text.size();
      i += end;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if (c == '}' || c == ']' || c == ')') {
      if (depth == 0) return i;
      --depth;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return text.size();
}

bool EndsValue(std::string_view rest) { return !rest.empty() && (rest[0] == ',' || rest[0] == '}'); }

std::optional<double> NumberOf(std::string_view value) {
  for (const std::string_view wrapper : {"tensor(", "np.float64(", "np.float32(", "array("}) {
    if (!value.starts_with(wrapper)) continue;
    value.remove_prefix(wrapper.size());
    value = Trim(value.substr(0, value.find_first_of(",)")));
    break;
  }
  return ParseNumber(value);
}

}  // namespace

DictReader::DictReader(std::string_view text) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    if (open + 1 >= text.size() || !IsQuote(text[open + 1])) continue;
    before_ = text.substr(0, open);
    rest_ = text.substr(open + 1);
    return;
  }
}

std::optional<DictEntry> DictReader::Next() {
  if (closed_ || rest_.empty() || !IsQuote(rest_[0])) return std::nullopt;
  const std::size_t key_end = ClosingQuote(rest_);
  if (key_end == std::string_view::npos) return std::nullopt;
  DictEntry entry{.key = rest_.substr(1, key_end - 1), .value = {}};
  std::string_view text = Trim(rest_.substr(key_end + 1));
  if (!text.starts_with(':')) return std::nullopt;
  text = Trim(text.substr(1));
  if (text.empty()) return std::nullopt;
  std::size_t length = 0;
  if (IsQuote(text[0])) {
    const std::size_t end = ClosingQuote(text);
    if (end == std::string_view::npos) return std::nullopt;
    entry.value = text.substr(1, end - 1);
    entry.quoted = true;
    length = end + 1;
    entry.number = NumberOf(entry.value);
  } else if (const auto number = ParseNumberPrefix(text); number && EndsValue(text.substr(number->length))) {
    length = number->length;
    entry.value = text.substr(0, length);
    entry.number = number->value;
  } else {
    length = ValueLength(text);
    entry.value = Trim(text.substr(0, length));
    entry.number = NumberOf(entry.value);
  }
  text = Trim(text.substr(length));
  if (text.starts_with('}')) {
    closed_ = true;
    text.remove_prefix(1);
  } else if (text.starts_with(',')) {
    text = Trim(text.substr(1));
  } else if (text.empty() && !entry.quoted && entry.number) {
    return rest_ = {}, std::nullopt;  // nothing ends the number: it may go on beyond the cut
  } else {
    text = {};
  }
  rest_ = text;
  return entry;
}

}  // namespace assay
