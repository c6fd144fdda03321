// SPDX-License-Identifier: Apache-2.0
#pragma once

// A dialect is the way in which one framework prints its metrics in a text log. Each file of this folder is one entry. The text
// log reader finds the lines that hold one of a dialect's triggers and hands them over, terminal controls replayed and prefixes
// peeled; the first dialect in order of `precedence` that accepts a line owns it.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "evidence/codecs/metric_line.h"
#include "evidence/facts/source.h"

namespace assay {

// One logged line. Views borrow from the reader's window and die with the call.
struct LogLine {
  std::string_view text;  // replayed, peeled
  Citation cite;          // of the whole physical line or its carriage-return segment
  std::optional<int> rank;
  std::optional<Time> time;
};

// What earlier lines of one rank said that later lines rely on: "Epoch 3/10" above Keras's bar, the header above the rows of a
// table. Dialects read and write it; the log reader only keeps one per rank.
struct LogContext {
  double epoch = std::numeric_limits<double>::quiet_NaN();
  double planned_epochs = 0;
  std::int64_t steps_per_epoch = 0;
  std::vector<std::string> header;  // column names of the table that is being printed
  bool wants_next_line = false;     // the dialect that owns the header sees the next line even without a trigger
};

enum class Parsed {
  kNotMine,
  kRow,      // `out` holds values
  kContext,  // the line was this dialect's own, and only changed the context
};

struct Dialect {
  std::string_view id;
  std::string_view title;
  std::span<const std::string_view> triggers;  // bytes, case-sensitive; at least one stands in every line of this dialect
  int precedence = 100;                        // lower goes first; the generic ones come last
  std::string_view sample;                     // a line that this dialect accepts and no earlier one does
  Parsed (*parse)(const LogLine& line, LogContext& context, MetricLine& out);
};

namespace dialects {
std::span<const Dialect* const> All();
}

}  // namespace assay
