// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// A step that names no metric assay knows: "epoch 3/40 train_error 0.49 val_error 0.51", "step 100 ctc 4.811 wait 1.9%". That the
// run advances is worth knowing whatever its numbers are called. Last of all; a counter alone, or words about a checkpoint, a
// download or a resume are no step.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 7> kTriggers{"epoch", "Epoch", "step", "Step", "iter", "Iter", "EPOCH"};

bool IsNameChar(char c) { return IsIdentifierChar(c) || c == '/' || c == '.' || c == '-'; }

bool IsStepName(std::string_view lower) {
  constexpr std::array<std::string_view, 8> kNames{"step", "steps", "iter", "iteration", "global_step", "it", "update", "batch"};
  return std::find(kNames.begin(), kNames.end(), lower) != kNames.end();
}

bool TellsOfSomethingElse(std::string_view text) {
  constexpr std::array<std::string_view, 16> kWords{"sav",    "checkpoint", "ckpt",    "resum", "load",   "restor",
                                                    "warmup", "every",      "planned", "max_",  "config", "Config",
                                                    "total",  "best",       "args",    "Error"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view w) { return text.find(w) != std::string_view::npos; });
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  const std::string_view text = line.text;
  if (text.size() > 600 || TellsOfSomethingElse(text)) return Parsed::kNotMine;
  std::size_t decimals = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (!IsIdentifierChar(text[i]) || IsDigit(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && IsNameChar(text[i])) ++i;
    const std::string_view name = text.substr(begin, i - begin);
    std::size_t at = i;
    while (at < text.size() && (IsSpace(text[at]) || text[at] == ':' || text[at] == '=' || text[at] == '[')) ++at;
    if (at == i) continue;
    const std::string lower = name.size() <= 64 ? ToLower(name) : std::string();
    if (IsStepName(lower) || lower == "epoch") {
      const auto position = ReadPositionOfTotal(text.substr(at));
      const auto number = position ? std::nullopt : ReadMeasuredNumber(text.substr(at));
      if (!position && (!number || !number->unit.empty())) continue;
      const double value = position ? position->position : number->value;
      i = at + (position ? position->length : number->length);
      if (lower == "epoch") {
        out.epoch = value;
        if (position) out.planned_epochs = position->total;
      } else if (out.step == kNoStep) {
        out.SetStep(value);
        if (position) out.SetPlannedSteps(position->total);
      }
    } else if (const auto number = ReadMeasuredNumber(text.substr(at))) {
      const std::string_view printed = text.substr(at, number->length);
      i = at + number->length;
      out.Add(name, number->value, number->unit);
      if (printed.find('.') != std::string_view::npos || printed.find('n') != std::string_view::npos) ++decimals;
    }
  }
  const bool placed = out.step != kNoStep || !std::isnan(out.epoch);
  return placed && decimals >= 1 && out.values().size() >= 2 ? Parsed::kRow : Parsed::kNotMine;
}

}  // namespace

extern const Dialect progress_line;
constinit const Dialect progress_line{
    .id = "progress-line",
    .title = "A step with numbers that have other names",
    .triggers = kTriggers,
    .precedence = 1001,
    .sample = "epoch 3/40 train_error 0.4957 val_error 0.5016 failed_batches 0",
    .parse = Parse,
};

}  // namespace assay::dialects
