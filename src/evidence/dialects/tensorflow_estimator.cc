// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// TensorFlow estimators and hooks: "loss = 0.5, step = 100 (0.1 sec)", "global_step/sec: 12.3", "examples/sec: 118.2", "Saving
// dict for global step 100: accuracy = 0.9, loss = 0.3" (the evaluation), "Loss for final step: 0.2.".
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 5> kTriggers{
    ", step = ", "global_step/sec: ", "examples/sec: ", "Saving dict for global step ", "Loss for final step: "};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  constexpr std::string_view kEvaluated = "Saving dict for global step ";
  constexpr std::string_view kFinal = "Loss for final step: ";
  std::string_view text = line.text;
  if (text.starts_with(kFinal)) {
    const auto loss = ParseNumberPrefix(text.substr(kFinal.size()));
    if (!loss) return Parsed::kNotMine;
    out.Add("loss", loss->value);
    return Parsed::kRow;
  }
  for (const std::string_view rate : {"global_step/sec", "examples/sec"}) {
    if (!text.starts_with(rate) || !text.substr(rate.size()).starts_with(": ")) continue;
    const auto value = ReadMeasuredNumber(text.substr(rate.size() + 2));
    if (!value) return Parsed::kNotMine;
    out.Add(rate, value->value);
    return Parsed::kRow;
  }
  const bool evaluation = text.starts_with(kEvaluated);
  if (evaluation) {
    const auto step = ParseNumberPrefix(text.substr(kEvaluated.size()));
    const std::size_t colon = text.find(": ");
    if (!step || colon == std::string_view::npos) return Parsed::kNotMine;
    out.SetStep(step->value);
    text.remove_prefix(colon + 2);
  }
  if (!evaluation && text.find(", step = ") == std::string_view::npos) return Parsed::kNotMine;
  DelimitedFieldReader fields(text, ", ");
  while (const auto field = fields.Next()) {
    if (field->name == "step" || field->name == "global_step") {
      out.SetStep(field->value);
    } else if (evaluation) {
      out.Add(out.Keep("eval_" + std::string(field->name)), field->value);
    } else {
      out.Add(field->name, field->value);
    }
  }
  return out.step != kNoStep && !out.values().empty() ? Parsed::kRow : Parsed::kNotMine;
}

}  // namespace

extern const Dialect tensorflow_estimator;
constinit const Dialect tensorflow_estimator{
    .id = "tensorflow-estimator",
    .title = "TensorFlow estimators: logging hooks",
    .triggers = kTriggers,
    .precedence = 23,
    .sample = "loss = 2.06700, step = 2800 (861.228 sec)",
    .parse = Parse,
};

}  // namespace assay::dialects
