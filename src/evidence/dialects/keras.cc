// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// Keras: "Epoch 3/10", then bars " 55/100 ━━━━ 1s 20ms/step - accuracy: F - loss: F" ("[====>…] - ETA: 1s" in older versions) or,
// with verbose=2, "100/100 - 20s - 8ms/step - loss: F". Values inside an epoch are running means; val_ values stand on the last
// state only.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 4> kTriggers{"s/step - ", "s/sample - ", " - ETA: ", "Epoch "};

// "20ms/step", "1s/step", "350us/sample": seconds.
std::optional<double> StepTime(std::string_view field) {
  const std::size_t slash = field.find("/s");
  if (slash == std::string_view::npos) return std::nullopt;
  field = field.substr(0, slash);
  const std::size_t blank = field.rfind(' ');
  if (blank != std::string_view::npos) field.remove_prefix(blank + 1);
  const auto number = ParseNumberPrefix(field);
  if (!number) return std::nullopt;
  const std::string_view unit = field.substr(number->length);
  return number->value * (unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 1);
}

Parsed EpochLine(std::string_view text, LogContext& context) {
  const auto position = ReadPositionOfTotal(text.substr(6));
  if (!position || 6 + position->length != Trim(text).size()) return Parsed::kNotMine;
  context.epoch = position->position;
  context.planned_epochs = position->total;
  return Parsed::kContext;
}

Parsed Parse(const LogLine& line, LogContext& context, MetricLine& out) {
  const std::string_view text = line.text;
  if (text.starts_with("Epoch ")) return EpochLine(text, context);
  const auto position = ReadPositionOfTotal(text);
  if (!position) return Parsed::kNotMine;
  std::string_view rest = text.substr(position->length);
  if (!rest.starts_with(' ')) return Parsed::kNotMine;
  const std::size_t dash = rest.find(" - ");
  if (dash == std::string_view::npos) return Parsed::kNotMine;
  const std::size_t speed = rest.find("/step");
  const std::size_t sample = rest.find("/sample");
  if (speed == std::string_view::npos && sample == std::string_view::npos && rest.find("ETA: ") == std::string_view::npos)
    return Parsed::kNotMine;
  DelimitedFieldReader fields(rest, " - ");
  while (const auto field = fields.Next()) {
    if (field->name != "ETA") out.Add(field->name, field->value);
  }
  if (out.values().empty()) return Parsed::kNotMine;
  if (speed != std::string_view::npos) {
    if (const auto seconds = StepTime(rest.substr(0, speed + 5))) out.Add("step_time", *seconds);
  }
  out.epoch = context.epoch;
  out.planned_epochs = context.planned_epochs;
  if (context.epoch == context.epoch) out.SetStep((context.epoch - 1) * position->total + position->position);
  if (context.epoch != context.epoch) out.SetStep(position->position);
  return Parsed::kRow;
}

}  // namespace

extern const Dialect keras;
constinit const Dialect keras{
    .id = "keras",
    .title = "Keras: Progbar and one line an epoch",
    .triggers = kTriggers,
    .precedence = 27,
    .sample = "2500/2500 - 20s 8ms/step - loss: 0.7081 - accuracy: 0.1012 - val_loss: 0.8707 - val_accuracy: 0.0928",
    .parse = Parse,
};

}  // namespace assay::dialects
