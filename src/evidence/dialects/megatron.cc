// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// Megatron-LM and its descendants: " iteration N/ T | consumed samples: N | … | lm loss: F | …". A loss that is NaN is left out
// of the line, so that a row without that column is the finding. Times are printed in ms, in older versions in s.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 3> kTriggers{"elapsed time per iteration (", "| consumed samples:", "validation loss at "};

constexpr std::string_view kElapsed = "elapsed time per iteration (";

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  std::string_view text = line.text;
  if (const std::size_t at = text.find("validation loss at "); at != std::string_view::npos) {
    text.remove_prefix(at);
    const std::size_t bar = text.find('|');
    if (bar == std::string_view::npos) return Parsed::kNotMine;
    if (const std::size_t word = text.substr(0, bar).find("iteration "); word != std::string_view::npos) {
      if (const auto step = ParseNumberPrefix(text.substr(word + 10))) out.SetStep(step->value);
    }
    text.remove_prefix(bar + 1);
  } else {
    const std::size_t word = text.find("iteration ");
    if (word == std::string_view::npos) return Parsed::kNotMine;
    const auto position = ReadPositionOfTotal(text.substr(word + 10));
    if (!position) return Parsed::kNotMine;
    out.SetStep(position->position);
    out.SetPlannedSteps(position->total);
    text.remove_prefix(word + 10 + position->length);
  }
  DelimitedFieldReader fields(text, "|");
  while (const auto field = fields.Next()) {
    if (field->name.starts_with(kElapsed)) {
      out.Add("step_time", field->name.substr(kElapsed.size()).starts_with("ms") ? field->value / 1e3 : field->value);
    } else {
      out.Add(field->name, field->value, field->unit);
    }
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect megatron;
constinit const Dialect megatron{
    .id = "megatron",
    .title = "Megatron-LM: one iteration a line",
    .triggers = kTriggers,
    .precedence = 12,
    .sample =
        " iteration     9768/  115311 | consumed samples:     12000000 | elapsed time per iteration (ms): 1102.4 | learning "
        "rate: 6.000E-05 | global batch size:  2048 | lm loss: 2.2412E+00 | loss scale: 1.0 | grad norm: 0.142 | number of "
        "skipped iterations:   0 | number of nan iterations:   0 |",
    .parse = Parse,
};

}  // namespace assay::dialects
