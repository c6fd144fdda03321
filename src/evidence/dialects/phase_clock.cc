// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "base/text.h"
#include "evidence/dialects/dialect.h"

// Widgets in a row, as progressbar2 lets a program print them: "Epoch 0 |   Training | Elapsed Time: 0:01:40 | Steps: 150 | Loss:
// 125.1". The clock counts from the start of the phase.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 1> kTriggers{" | Elapsed Time: "};

std::optional<double> Clock(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  double seconds = 0;
  for (const std::string_view part : parts) {
    const auto value = ParseInteger(part);
    if (!value || *value < 0) return std::nullopt;
    seconds = seconds * 60 + static_cast<double>(*value);
  }
  return seconds;
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  bool evaluation = false;
  bool clock = false;
  for (std::string_view cell : Split(line.text, '|')) {
    cell = Trim(cell);
    const std::size_t colon = cell.find(": ");
    if (cell.starts_with("Epoch ")) {
      const auto epoch = ParseNumber(cell.substr(6));
      if (!epoch) return Parsed::kNotMine;
      out.epoch = *epoch;
    } else if (colon == std::string_view::npos) {
      evaluation = evaluation || cell == "Validation" || cell == "Test" || cell == "Evaluation";
    } else if (const std::string_view value = Trim(cell.substr(colon + 2)); cell.starts_with("Elapsed Time:")) {
      const auto seconds = Clock(value);
      if (!seconds) return Parsed::kNotMine;
      clock = true;
      if (!evaluation) out.Add("elapsed_time", *seconds);
    } else if (cell.starts_with("Steps:")) {
      // Steps of an evaluation are none of the training.
      if (const auto steps = ParseNumber(value); steps && !evaluation) out.SetStep(*steps);
    } else if (const auto number = ParseNumber(value)) {
      const std::string_view name = cell.substr(0, colon);
      out.Add(evaluation ? out.Keep("val_" + ToLower(name)) : name, *number);
    }
  }
  return clock && !std::isnan(out.epoch) && !out.values().empty() ? Parsed::kRow : Parsed::kNotMine;
}

}  // namespace

extern const Dialect phase_clock;
constinit const Dialect phase_clock{
    .id = "phase-clock",
    .title = "Elapsed time, steps and loss of a phase between bars",
    .triggers = kTriggers,
    .precedence = 33,
    .sample = "Epoch 0 |   Training | Elapsed Time: 0:01:40 | Steps: 150 | Loss: 125.162810",
    .parse = Parse,
};

}  // namespace assay::dialects
