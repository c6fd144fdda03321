// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// torchtitan: "step:  N  loss: F  grad_norm: F  memory: FGiB(p%)  tps: 1,234  tflops: F  mfu: F%", with colours in between, and
// "validate step: N  loss: F …", whose loss is the evaluation's.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 1> kTriggers{"step: "};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  std::string_view text = line.text;
  const bool validation = text.starts_with("validate ");
  if (validation) text.remove_prefix(9);
  if (!text.starts_with("step: ") || text.find("  loss: ") == std::string_view::npos) return Parsed::kNotMine;
  WordFieldReader fields(text);
  while (const auto field = fields.Next()) {
    if (field->name == "step") {
      out.SetStep(field->value);
    } else if (validation) {
      out.Add(out.Keep("validate/" + std::string(field->name)), field->value, field->unit);
    } else {
      out.Add(field->name, field->value, field->unit);
    }
  }
  return out.step != kNoStep && !out.values().empty() ? Parsed::kRow : Parsed::kNotMine;
}

}  // namespace

extern const Dialect torchtitan;
constinit const Dialect torchtitan{
    .id = "torchtitan",
    .title = "torchtitan: one step a line",
    .triggers = kTriggers,
    .precedence = 15,
    .sample = "step:  120  loss:  7.9132  grad_norm:  1.2043  memory: 61.20GiB(77.38%)  tps: 8,123  tflops: 412.05  mfu: 41.66%",
    .parse = Parse,
};

}  // namespace assay::dialects
