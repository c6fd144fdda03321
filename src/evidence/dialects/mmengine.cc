// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// OpenMMLab. mmengine: "Epoch(train)  [E][ i/N]  lr: F  eta: T  time: F  data_time: F  memory: N  loss: F", "Iter(train) [ i/N]
// …", "Epoch(val) [E][N/N]    metric: F". mmcv 1: "Epoch [E][i/N]<tab>lr: F, eta: T, time: F, …". Epochs count from 1: the global
// step is (E-1) * N + i. memory is in MiB, times are in seconds. Values of a val or test line are named "val/…".
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 4> kTriggers{"Epoch(", "Iter(", "Epoch [", "Iter ["};

// "[12][ 950/1000]", "[ 950/1000]" or "[12][625]" at the start; how many bytes.
std::size_t ReadPosition(std::string_view text, bool by_epoch, bool training, MetricLine& out) {
  std::size_t at = text.find('[');
  if (at == std::string_view::npos || !Trim(text.substr(0, at)).empty()) return 0;
  if (by_epoch) {
    const std::string_view epoch_text = Trim(text.substr(at + 1));
    const auto epoch = ParseNumberPrefix(epoch_text);
    if (!epoch || !epoch_text.substr(epoch->length).starts_with(']')) return 0;
    out.epoch = epoch->value;
    at = text.find(']', at) + 1;
    if (at >= text.size() || text[at] != '[') return 0;
  }
  const std::size_t close = text.find(']', at);
  if (close == std::string_view::npos) return 0;
  const auto position = ReadPositionOfTotal(text.substr(at + 1, close - at - 1));
  if (!position && training) return 0;
  if (position && training) {
    if (by_epoch) {
      out.SetStep((out.epoch - 1) * position->total + position->position);
    } else {
      out.SetStep(position->position);
      out.SetPlannedSteps(position->total);
    }
  }
  return close + 1;
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  std::string_view text = line.text;
  const bool by_epoch = text.starts_with("Epoch");
  if (!by_epoch && !text.starts_with("Iter")) return Parsed::kNotMine;
  text.remove_prefix(by_epoch ? 5 : 4);
  bool training = true;
  if (text.starts_with('(')) {
    const std::size_t close = text.find(')');
    if (close == std::string_view::npos) return Parsed::kNotMine;
    const std::string_view phase = text.substr(1, close - 1);
    training = phase == "train";
    if (!training && phase != "val" && phase != "test") return Parsed::kNotMine;
    text.remove_prefix(close + 1);
  }
  const std::size_t length = ReadPosition(text, by_epoch, training, out);
  if (length == 0) return Parsed::kNotMine;
  // The line does not say how many epochs there are, but when nothing is left.
  if (by_epoch && training && text.find("eta: 0:00:00") != std::string_view::npos) out.planned_epochs = out.epoch;
  WordFieldReader fields(text.substr(length));
  while (const auto field = fields.Next()) {
    if (field->name == "eta") continue;
    const std::string_view name = training ? field->name : out.Keep("val/" + std::string(field->name));
    out.Add(name, field->name == "memory" ? field->value * 1048576 : field->value);
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect mmengine;
constinit const Dialect mmengine{
    .id = "mmengine",
    .title = "OpenMMLab: mmengine and mmcv",
    .triggers = kTriggers,
    .precedence = 19,
    .sample =
        "Epoch(train)  [12][ 950/1000]  lr: 2.0000e-04  eta: 0:10:31  time: 0.4121  data_time: 0.0110  memory: 5402  loss: "
        "0.1012  loss_cls: 0.0412",
    .parse = Parse,
};

}  // namespace assay::dialects
