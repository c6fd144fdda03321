// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs of "name: value" as loggers print them, one numeric field at a time; fields whose value is no number are skipped. All
// views borrow from the text.

#include <cstddef>
#include <optional>
#include <string_view>

namespace assay {

// A number as printed, with its unit: "61.20GiB", "20 ms", "38.2%", "1,234", "[1e-05".
struct MeasuredNumber {
  double value = 0;
  std::string_view unit;   // letters, '%' and '/' right behind the number, or a unit of time or size after one blank
  std::size_t length = 0;  // bytes of number and unit
};
// Refuses what only starts like a number: times and dates ("0:10:00"), versions ("1.2.3"), words ("3D", "2nd").
std::optional<MeasuredNumber> ReadMeasuredNumber(std::string_view text);

struct Field {
  std::string_view name;  // trimmed
  double value = 0;
  std::string_view unit;
  std::string_view after;  // what follows number and unit: to the delimiter, or to the end of the text
};

// Fields whose names are single words, whatever stands between the fields: "lr: 1e-3  loss: 0.5", "loss=0.5, acc = 0.9".
class WordFieldReader {
 public:
  explicit WordFieldReader(std::string_view text) : rest_(text) {}
  std::optional<Field> Next();

 private:
  std::string_view rest_;
};

// Fields whose names may be several words, so that the delimiter must be known: "lm loss: 2.2 | grad norm: 0.1 |".
class DelimitedFieldReader {
 public:
  enum class Between { kSign, kBlank };  // ':' or '=', or nothing but a blank: "loss 9.1 | wps 10"
  DelimitedFieldReader(std::string_view text, std::string_view delimiter, Between between = Between::kSign)
      : rest_(text),
        delimiter_(delimiter),
        between_(between) {}
  std::optional<Field> Next();

 private:
  std::string_view rest_;
  std::string_view delimiter_;
  Between between_;
};

// "12/100" or " 12/ 100": a position and its total; what follows them.
struct PositionOfTotal {
  double position = 0;
  double total = 0;
  std::size_t length = 0;
};
std::optional<PositionOfTotal> ReadPositionOfTotal(std::string_view text);

}  // namespace assay
