// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/table_text.h"
#include "evidence/dialects/dialect.h"

// Tables that grow by a row an epoch or step: a header of names, one of which is a known metric or position, then rows of
// numbers. Columns are apart by two blanks, tabs, '|' or the rules of Rich. Chainer's PrintReport, fastai, skorch, spaCy, Rich.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 15> kTriggers{
    "epoch  ",     "Epoch  ", "loss  ",  "Loss  ", "LOSS  ",  "epoch |",           "loss |",
    "Epoch |",     "Loss |",  "epoch\t", "loss\t", "Epoch\t", "loss \xE2\x94\x83", "loss \xE2\x94\x82",
    "elapsed_time"};

constexpr std::size_t kMaxColumns = 48;

bool IsPosition(std::string_view name) {
  const std::string lower = ToLower(name);
  return lower == "epoch" || lower == "step" || lower == "iter" || lower == "iteration" || lower == "#" || lower == "e" ||
         lower == "steps";
}

bool IsName(std::string_view cell) {
  if (cell.empty() || cell.size() > 40 || IsDigit(cell[0])) return false;
  std::size_t words = 1;
  for (const char c : cell) {
    if (c == ' ') ++words;
    const bool fits = IsIdentifierChar(c) || c == ' ' || c == '/' || c == '@' || c == '.' || c == '-' || c == '_' || c == '#' ||
                      c == '(' || c == ')' || c == '%';
    if (!fits) return false;
  }
  return words <= 3;
}

bool ReadHeader(std::string_view text, LogContext& context) {
  std::vector<std::string_view> cells;
  if (!SplitCells(text, cells, kMaxColumns) || cells.size() < 2) return false;
  bool known = false;
  for (const std::string_view cell : cells) {
    if (!IsName(cell)) return false;
    known = known || IsPosition(cell) || cell == "elapsed_time" || MetricOfName(cell) != Metric::kOther ||
            ToLower(cell).starts_with("loss ");
  }
  if (!known) return false;
  context.header.assign(cells.begin(), cells.end());
  return true;
}

// "02:13" and "1:02:03" in seconds.
std::optional<double> ReadClock(std::string_view cell) {
  double seconds = 0;
  const std::vector<std::string_view> parts = Split(cell, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  for (const std::string_view part : parts) {
    const auto value = ParseInteger(part);
    if (!value || *value < 0) return std::nullopt;
    seconds = seconds * 60 + static_cast<double>(*value);
  }
  return seconds;
}

Parsed ReadRow(std::string_view text, const LogContext& context, MetricLine& out) {
  std::vector<std::string_view> cells;
  if (!SplitCells(text, cells, kMaxColumns) || cells.size() < context.header.size() || cells.size() > context.header.size() + 1)
    return Parsed::kNotMine;
  if (!ParseNumber(cells[0])) return Parsed::kNotMine;
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < context.header.size(); ++i) {
    const std::string& name = context.header[i];
    const auto number = ParseNumber(cells[i]);
    if (number) ++numbers;
    if (number && (EqualsIgnoreCase(name, "epoch") || name == "E")) {
      out.epoch = *number;
    } else if (number && IsPosition(name)) {
      out.SetStep(*number);
    } else if (number) {
      out.Add(out.Keep(name), *number);
    } else if (const auto clock = ReadClock(cells[i])) {
      ++numbers;
      out.Add(EqualsIgnoreCase(name, "time") ? "epoch_time" : out.Keep(name), *clock);  // of the row, not of a step
    }
  }
  return numbers * 2 > context.header.size() && !out.values().empty() ? Parsed::kRow : Parsed::kNotMine;
}

Parsed Parse(const LogLine& line, LogContext& context, MetricLine& out) {
  const std::string_view text = Trim(line.text);
  if (context.wants_next_line && !context.header.empty()) {
    if (IsRuleLine(text)) return Parsed::kContext;
    const Parsed row = ReadRow(text, context, out);
    if (row != Parsed::kNotMine) return row;
  }
  if (text.size() > 1000 || !ReadHeader(text, context)) return Parsed::kNotMine;
  context.wants_next_line = true;
  return Parsed::kContext;
}

}  // namespace

extern const Dialect printed_table;
constinit const Dialect printed_table{
    .id = "printed-table",
    .title = "Printed tables: a header, then rows of numbers",
    .triggers = kTriggers,
    .precedence = 50,
    .sample = "epoch       main/loss   main/accuracy  elapsed_time",
    .parse = Parse,
};

}  // namespace assay::dialects
