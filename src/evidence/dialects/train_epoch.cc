// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// The loop of the PyTorch examples: "Train Epoch: 1 [6400/60000 (11%)]<tab>Loss: 0.04", where the position counts samples, not
// steps, and "Test set: Average loss: 0.0412, Accuracy: 9870/10000 (99%)". The step is samples seen: (epoch-1) * total +
// position.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 3> kTriggers{"Train Epoch: ", "Test set: ", "Test set results: "};

Parsed TestSet(std::string_view text, MetricLine& out) {
  WordFieldReader fields(text);
  while (const auto field = fields.Next()) {
    const std::string name = "test_" + ToLower(field->name);
    if (field->after.starts_with('/')) {
      // "Accuracy: 9870/10000 (99%)": the ratio, which is more exact than the percentage.
      const auto total = ParseNumberPrefix(field->after.substr(1));
      if (!total || total->value <= 0) continue;
      out.Add(out.Keep(name), field->value / total->value);
    } else {
      out.Add(out.Keep(name), field->value);
    }
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

Parsed Parse(const LogLine& line, LogContext& context, MetricLine& out) {
  std::string_view text = line.text;
  if (text.starts_with("Test set: ") || text.starts_with("Test set results: ")) {
    out.epoch = context.epoch;
    return TestSet(text.substr(text.find(": ") + 2), out);
  }
  if (!text.starts_with("Train Epoch: ")) return Parsed::kNotMine;
  text.remove_prefix(13);
  const auto epoch = ParseNumberPrefix(text);
  if (!epoch) return Parsed::kNotMine;
  text.remove_prefix(epoch->length);
  if (text.starts_with('/')) text.remove_prefix(std::min(text.find(' '), text.size()));
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || !Trim(text.substr(0, open)).empty()) return Parsed::kNotMine;
  const auto position = ReadPositionOfTotal(text.substr(open + 1));
  const std::size_t close = text.find(']');
  if (!position || close == std::string_view::npos) return Parsed::kNotMine;
  context.epoch = epoch->value;
  out.epoch = epoch->value;
  out.SetStep((epoch->value - 1) * position->total + position->position);
  WordFieldReader fields(text.substr(close + 1));
  while (const auto field = fields.Next()) out.Add(field->name, field->value, field->unit);
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect train_epoch;
constinit const Dialect train_epoch{
    .id = "train-epoch",
    .title = "PyTorch examples: Train Epoch and Test set",
    .triggers = kTriggers,
    .precedence = 22,
    .sample = "Train Epoch: 1 [6400/60000 (11%)]\tLoss: 0.043210",
    .parse = Parse,
};

}  // namespace assay::dialects
