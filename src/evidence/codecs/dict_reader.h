// SPDX-License-Identifier: Apache-2.0
#pragma once

// One dict or JSON object printed on a line, as Python's repr or json writes it. Works without recursion and without copies, so
// that depth and length cost nothing but time; views borrow from the text. What follows a damaged entry is not read.

#include <optional>
#include <string_view>

namespace assay {

struct DictEntry {
  std::string_view key;          // between its quotes, escapes as they stand
  std::string_view value;        // as printed, quotes taken off
  bool quoted = false;           // the value was a text
  std::optional<double> number;  // the value, also of a text that is a number and of tensor(0.5, …) or np.float64(0.5)
};

class DictReader {
 public:
  // Starts at the first '{' that a quote follows; without one there are no entries.
  explicit DictReader(std::string_view text);
  std::optional<DictEntry> Next();
  bool closed() const { return closed_; }              // the closing brace was seen
  std::string_view before() const { return before_; }  // what stands in front of the brace
  std::string_view rest() const { return rest_; }      // what has not been read

 private:
  std::string_view before_;
  std::string_view rest_;
  bool closed_ = false;
};

}  // namespace assay
