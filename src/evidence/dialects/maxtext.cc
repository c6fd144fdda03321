// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// MaxText (JAX): "completed step: N, seconds: F, TFLOP/s/device: F, Tokens/s/device: F, total_weights: N, loss: F, …" and
// "Completed eval after train step N, loss=F, …", whose values are the evaluation's. Steps that were profiled lack the rates.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 2> kTriggers{"completed step: ", "Completed eval after train step "};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  constexpr std::string_view kEvaluated = "Completed eval after train step ";
  std::string_view text = line.text;
  const bool evaluation = text.starts_with(kEvaluated);
  if (evaluation) {
    text.remove_prefix(kEvaluated.size());
    const auto step = ParseNumberPrefix(text);
    if (!step) return Parsed::kNotMine;
    out.SetStep(step->value);
  } else if (!text.starts_with("completed step: ")) {
    return Parsed::kNotMine;
  }
  DelimitedFieldReader fields(text, ", ");
  while (const auto field = fields.Next()) {
    if (field->name == "completed step") {
      out.SetStep(field->value);
    } else if (evaluation) {
      out.Add(out.Keep("eval/" + std::string(field->name)), field->value);
    } else {
      out.Add(field->name, field->value);
    }
  }
  return out.step != kNoStep && !out.values().empty() ? Parsed::kRow : Parsed::kNotMine;
}

}  // namespace

extern const Dialect maxtext;
constinit const Dialect maxtext{
    .id = "maxtext",
    .title = "MaxText: one completed step a line",
    .triggers = kTriggers,
    .precedence = 16,
    .sample =
        "completed step: 10, seconds: 1.204, TFLOP/s/device: 172.40, Tokens/s/device: 6804.1, total_weights: 65536, loss: 9.217",
    .parse = Parse,
};

}  // namespace assay::dialects
