// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// Tables of averaged times, one part of the step a line: "  Backward pass (10/10):  mean: 2321ms   std:  207ms". Each is a row
// with one column, "backward_ms"; the wait for a batch is "data_time", in seconds.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 4> kTriggers{"):  mean: ", "): mean: ", "):\tmean: ", "   mean: "};

std::string ColumnName(std::string_view part) {
  std::string name;
  for (const char c : ToLower(part)) {
    if (IsIdentifierChar(c)) {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '_') {
      name.push_back('_');
    }
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.ends_with("_pass")) name.resize(name.size() - 5);
  return name;
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  const std::string_view text = line.text;
  const std::size_t mean = text.find("mean:");
  if (mean == std::string_view::npos) return Parsed::kNotMine;
  // "name (10/10):" in front of it.
  std::string_view part = Trim(text.substr(0, mean));
  const std::size_t open = part.rfind('(');
  if (!part.ends_with("):") || open == std::string_view::npos || !ReadPositionOfTotal(part.substr(open + 1)))
    return Parsed::kNotMine;
  part = Trim(part.substr(0, open));
  WordFieldReader fields(text.substr(mean));
  while (const auto field = fields.Next()) {
    const double milliseconds = field->unit == "ms" ? 1 : field->unit == "us" ? 1e-3 : field->unit == "s" ? 1e3 : 0;
    if (milliseconds == 0 || part.empty()) continue;
    const std::string name = ColumnName(part);
    if (field->name == "mean" && name.find("wait") != std::string::npos &&
        (name.find("batch") != std::string::npos || name.find("data") != std::string::npos)) {
      out.Add("data_time", field->value * milliseconds / 1e3);
    } else if (field->name == "mean") {
      out.Add(out.Keep(name + "_ms"), field->value * milliseconds);
    } else if (field->name == "std") {
      out.Add(out.Keep(name + "_std_ms"), field->value * milliseconds);
    }
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect timing_table;
constinit const Dialect timing_table{
    .id = "timing-table",
    .title = "Average times of the parts of a step",
    .triggers = kTriggers,
    .precedence = 31,
    .sample = "  Backward pass (10/10):                           mean: 2321ms   std:  120ms",
    .parse = Parse,
};

}  // namespace assay::dialects
