// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// PaddlePaddle: "epoch: 1, iter: 10/1000, loss: 0.5, lr: 0.01, batch_cost: 0.1, reader_cost: 0.01, ips: 12 samples/s | ETA …"
// (Seg, Det, Clas) and "global step 100, epoch: 1, batch: 99, loss: 0.5, speed: 2.1 step/s" (NLP). Costs are in seconds.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 3> kTriggers{"reader_cost: ", "batch_cost: ", "global step "};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  constexpr std::string_view kGlobal = "global step ";
  std::string_view text = line.text;
  const bool global = text.starts_with(kGlobal);
  if (global) {
    const auto step = ParseNumberPrefix(text.substr(kGlobal.size()));
    const std::size_t comma = text.find(", epoch: ");
    if (!step || comma == std::string_view::npos) return Parsed::kNotMine;
    out.SetStep(step->value);
    text.remove_prefix(comma);
  } else if (text.find("_cost: ") == std::string_view::npos || text.find("loss: ") == std::string_view::npos) {
    return Parsed::kNotMine;
  }
  WordFieldReader fields(text);
  while (const auto field = fields.Next()) {
    if (field->name == "epoch") {
      out.epoch = field->value;
    } else if (field->name == "iter" || field->name == "global_step") {
      out.SetStep(field->value);
      if (field->after.starts_with('/')) {
        if (const auto total = ParseNumberPrefix(field->after.substr(1))) out.SetPlannedSteps(total->value);
      }
    } else if (field->name != "batch" && field->name != "ETA" && field->name != "eta") {
      out.Add(field->name, field->value, field->unit);
    }
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect paddle;
constinit const Dialect paddle{
    .id = "paddle",
    .title = "PaddlePaddle toolkits: one iteration a line",
    .triggers = kTriggers,
    .precedence = 25,
    .sample =
        "epoch: 1, iter: 100/80000, loss: 0.9120, lr: 0.009988, batch_cost: 0.2101, reader_cost: 0.00412, ips: 19.0385 "
        "samples/sec | ETA 04:39:42",
    .parse = Parse,
};

}  // namespace assay::dialects
