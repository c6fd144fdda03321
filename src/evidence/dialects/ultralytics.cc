// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/bar_state.h"
#include "evidence/dialects/dialect.h"

// Ultralytics and YOLOv5: a header "Epoch GPU_mem box_loss … Size", then the values of the epoch in front of a bar, every state
// of it a row; then "Class Images … mAP50" and the line of all classes. YOLOv5 ("gpu_mem") counts epochs from 0. Memory is
// printed in GiB.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 3> kTriggers{"GPU_mem", "gpu_mem", "mAP"};

void SplitWords(std::string_view text, std::vector<std::string>& words) {
  constexpr std::size_t kMaxColumns = 32;
  words.clear();
  while (words.size() < kMaxColumns) {
    text = Trim(text);
    if (text.empty()) return;
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// "Class Images Instances Box(P R mAP50 mAP50-95): 100%|…": the names of the validation's columns.
Parsed ValidationHeader(std::string_view text, LogContext& context) {
  if (!text.starts_with("Class ")) return Parsed::kNotMine;
  const std::size_t bar = text.find(": ");
  SplitWords(text.substr(0, bar), context.header);
  for (std::string& name : context.header) {
    if (const std::size_t open = name.find('('); open != std::string::npos) name.erase(0, open + 1);
    if (name.ends_with(')') || name.ends_with(':')) name.pop_back();
  }
  context.wants_next_line = context.header.size() >= 4;
  return Parsed::kContext;
}

Parsed ValidationRow(std::string_view text, LogContext& context, MetricLine& out) {
  std::vector<std::string> cells;
  SplitWords(text, cells);
  if (cells.size() != context.header.size()) return Parsed::kNotMine;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const auto value = ParseNumber(cells[i]);
    if (!value) return Parsed::kNotMine;
    out.Add(out.Keep("val/" + context.header[i]), *value);
  }
  out.epoch = context.epoch;
  context.wants_next_line = false;
  return Parsed::kRow;
}

Parsed TrainingRow(std::string_view text, LogContext& context, MetricLine& out) {
  const bool from_zero = context.header[1] == "gpu_mem";
  const std::size_t slash = text.find('/');
  const auto epoch = ParseInteger(text.substr(0, slash));
  if (!epoch || slash == std::string_view::npos) return Parsed::kNotMine;
  std::vector<std::string> cells;
  const std::size_t bar = text.find(": ");
  SplitWords(text.substr(0, bar), cells);
  if (cells.size() != context.header.size()) return Parsed::kNotMine;
  const auto total = ParseInteger(std::string_view(cells[0]).substr(slash + 1));
  if (!total) return Parsed::kNotMine;
  const auto memory = ParseByteSize(cells[1]);
  if (memory) out.Add(out.Keep(context.header[1]), *memory);
  for (std::size_t i = 2; i < cells.size(); ++i) {
    const auto value = ParseNumber(cells[i]);
    if (!value) return Parsed::kNotMine;
    out.Add(out.Keep(context.header[i]), *value);
  }
  context.epoch = static_cast<double>(*epoch);
  out.epoch = context.epoch;
  out.planned_epochs = static_cast<double>(*total) + (from_zero ? 1 : 0);
  if (const auto state = ParseBar(text); state && state->total > 0) {
    out.SetStep((static_cast<double>(*epoch) - (from_zero ? 0 : 1)) * state->total + state->position);
  }
  return Parsed::kRow;
}

Parsed Parse(const LogLine& line, LogContext& context, MetricLine& out) {
  const std::string_view text = Trim(line.text);
  if (text.starts_with("Epoch ")) {
    std::vector<std::string> header;
    SplitWords(text, header);
    if (header.size() < 4 || (header[1] != "GPU_mem" && header[1] != "gpu_mem")) return Parsed::kNotMine;
    context.header = std::move(header);
    context.wants_next_line = true;
    return Parsed::kContext;
  }
  if (text.starts_with("Class ")) return ValidationHeader(text, context);
  if (!context.wants_next_line || context.header.size() < 4) return Parsed::kNotMine;
  if (text.empty()) return Parsed::kContext;
  if (context.header[0] == "Class") return text.starts_with("all ") ? ValidationRow(text, context, out) : Parsed::kNotMine;
  return context.header[0] == "Epoch" ? TrainingRow(text, context, out) : Parsed::kNotMine;
}

}  // namespace

extern const Dialect ultralytics;
constinit const Dialect ultralytics{
    .id = "ultralytics",
    .title = "Ultralytics and YOLOv5: tables of an epoch",
    .triggers = kTriggers,
    .precedence = 26,
    .sample = "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size",
    .parse = Parse,
};

}  // namespace assay::dialects
