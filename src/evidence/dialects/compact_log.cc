// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// Terse "name:value" words, the step first: "s:9534 trl:3.29" (llm.c and its kind), "step:100/1390 val_loss:3.9 step_avg:300ms".
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 4> kTriggers{" trl:", " tel:", " train_loss:", " val_loss:"};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  std::string_view text = Trim(line.text);
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text = Trim(text.substr(end));
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || colon == 0) return Parsed::kNotMine;
    const std::string_view name = word.substr(0, colon);
    if (first) {
      if (name != "s" && name != "step") return Parsed::kNotMine;
      const auto step = ParseNumberPrefix(word.substr(colon + 1));
      if (!step) return Parsed::kNotMine;
      out.SetStep(step->value);
      if (const auto position = ReadPositionOfTotal(word.substr(colon + 1))) out.SetPlannedSteps(position->total);
      continue;
    }
    const auto number = ReadMeasuredNumber(word.substr(colon + 1));
    if (!number || number->length != word.size() - colon - 1) return Parsed::kNotMine;
    out.Add(name, number->value, number->unit);
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect compact_log;
constinit const Dialect compact_log{
    .id = "compact-log",
    .title = "Terse name:value words after the step",
    .triggers = kTriggers,
    .precedence = 30,
    .sample = "s:9534 trl:3.294388",
    .parse = Parse,
};

}  // namespace assay::dialects
