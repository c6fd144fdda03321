// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// nanoGPT: "iter N: loss F, time Fms, mfu F%" and "step N: train loss F, val loss F". mfu is -100 % until it has been measured:
// no value then.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 2> kTriggers{": loss ", ": train loss "};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  std::string_view text = line.text;
  if (!text.starts_with("iter ") && !text.starts_with("step ")) return Parsed::kNotMine;
  text.remove_prefix(5);
  const auto step = ParseNumberPrefix(text);
  if (!step || !text.substr(step->length).starts_with(": ")) return Parsed::kNotMine;
  out.SetStep(step->value);
  text.remove_prefix(step->length + 2);
  if (!text.starts_with("loss ") && !text.starts_with("train loss ")) return Parsed::kNotMine;
  DelimitedFieldReader fields(text, ", ", DelimitedFieldReader::Between::kBlank);
  while (const auto field = fields.Next()) {
    if (field->name == "mfu" && field->value == -100) continue;
    out.Add(field->name, field->value, field->unit);
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect nanogpt;
constinit const Dialect nanogpt{
    .id = "nanogpt",
    .title = "nanoGPT: iterations and evaluations",
    .triggers = kTriggers,
    .precedence = 17,
    .sample = "iter 2500: loss 3.2841, time 135.27ms, mfu 38.12%",
    .parse = Parse,
};

}  // namespace assay::dialects
