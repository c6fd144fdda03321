// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// DeepSpeed: "step=N, skipped=N, lr=[…]", "epoch=a/micro_step=b/global_step=c, CurrSamplesPerSec=F, …", timers "time (ms) | fwd:
// F", and overflows, each a row with the loss scale that follows it and skipped = 1. The running total of skipped steps is
// another thing and has a column of its own, "skipped_so_far".
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 4> kTriggers{
    "Skipping step. Attempted loss scale: ", ", skipped=", "/global_step=", "time (ms) | "};

// "Attempted loss scale: 65536, reducing to 32768", or "…, but hysteresis is 2. Reducing hysteresis to 1": the scale stays.
Parsed Overflow(std::string_view text, MetricLine& out) {
  const auto attempted = ParseNumberPrefix(text);
  if (!attempted) return Parsed::kNotMine;
  std::string_view rest = text.substr(attempted->length);
  if (rest.starts_with(", reducing to ")) {
    const auto reduced = ParseNumberPrefix(rest.substr(14));
    if (!reduced) return Parsed::kNotMine;
    out.Add("loss_scale", reduced->value);
  } else if (rest.starts_with(", but hysteresis is ")) {
    out.Add("loss_scale", attempted->value);
  } else {
    return Parsed::kNotMine;
  }
  out.Add("skipped", 1);
  return Parsed::kRow;
}

Parsed Timers(std::string_view text, MetricLine& out) {
  DelimitedFieldReader fields(text, "|");
  while (const auto field = fields.Next()) out.Add(out.Keep(std::string(field->name) + "_ms"), field->value);
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

void AddFields(std::string_view text, MetricLine& out) {
  WordFieldReader fields(text);
  while (const auto field = fields.Next()) {
    if (field->name == "step") {
      out.SetStep(field->value);
    } else if (field->name == "skipped") {
      out.Add("skipped_so_far", field->value);
    } else {
      out.Add(field->name, field->value, field->unit);
    }
  }
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  constexpr std::string_view kAttempted = "Skipping step. Attempted loss scale: ";
  constexpr std::string_view kTimers = "time (ms) | ";
  const std::string_view text = line.text;
  if (const std::size_t at = text.find(kAttempted); at != std::string_view::npos)
    return Overflow(text.substr(at + kAttempted.size()), out);
  if (const std::size_t at = text.find(kTimers); at != std::string_view::npos)
    return Timers(text.substr(at + kTimers.size()), out);
  // "epoch=0/micro_step=10/global_step=5, …" or "step=10, skipped=0, …".
  if (const std::size_t at = text.find("/global_step="); at != std::string_view::npos) {
    const std::size_t epoch_at = text.find("epoch=");
    if (epoch_at == std::string_view::npos || epoch_at > at) return Parsed::kNotMine;
    const auto epoch = ParseNumberPrefix(text.substr(epoch_at + 6));
    const auto step = ParseNumberPrefix(text.substr(at + 13));
    if (!epoch || !step) return Parsed::kNotMine;
    out.epoch = epoch->value;
    out.SetStep(step->value);
    AddFields(text.substr(at + 13), out);
    return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
  }
  const std::size_t at = text.find("step=");
  if (at == std::string_view::npos || (at > 0 && text[at - 1] != ' ') || text.find(", skipped=") == std::string_view::npos)
    return Parsed::kNotMine;
  AddFields(text.substr(at), out);
  return out.step != kNoStep && !out.values().empty() ? Parsed::kRow : Parsed::kNotMine;
}

}  // namespace

extern const Dialect deepspeed;
constinit const Dialect deepspeed{
    .id = "deepspeed",
    .title = "DeepSpeed: steps, overflows and timers",
    .triggers = kTriggers,
    .precedence = 13,
    .sample = "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768",
    .parse = Parse,
};

}  // namespace assay::dialects
