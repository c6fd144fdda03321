// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// detectron2: "eta: T  iter: N  total_loss: F  loss_x: F  time: F  last_time: F  data_time: F  last_data_time: F   lr: F max_mem:
// NM". Values are medians of the last 20 iterations. max_mem is in MiB.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 2> kTriggers{"  iter: ", "iter: "};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  const std::string_view text = line.text;
  if (!text.starts_with("eta: ") && !text.starts_with("iter: ")) return Parsed::kNotMine;
  WordFieldReader fields(text);
  while (const auto field = fields.Next()) {
    if (field->name == "iter") {
      out.SetStep(field->value);
    } else if (field->name != "eta") {
      out.Add(field->name, field->value, field->unit);
    }
  }
  const bool is_loss_known = text.find("loss") != std::string_view::npos || text.find("  lr: ") != std::string_view::npos;
  return out.step != kNoStep && is_loss_known && !out.values().empty() ? Parsed::kRow : Parsed::kNotMine;
}

}  // namespace

extern const Dialect detectron2;
constinit const Dialect detectron2{
    .id = "detectron2",
    .title = "detectron2: event writer lines",
    .triggers = kTriggers,
    .precedence = 20,
    .sample =
        "eta: 0:12:41  iter: 1019  total_loss: 1.204  loss_cls: 0.412  loss_box_reg: 0.301  time: 0.2104  last_time: 0.2011  "
        "data_time: 0.0061  last_data_time: 0.0052   lr: 0.00025  max_mem: 4102M",
    .parse = Parse,
};

}  // namespace assay::dialects
