// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/bar_state.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/codecs/table_text.h"
#include "evidence/dialects/dialect.h"

// Lightning: tqdm bars "Epoch 3:  55%|…| 55/100 [00:01<00:00, 50.0it/s, v_num=0, train_loss=0.5]", Rich bars "Epoch 3/9 ━━━
// 55/100 0:00:01 • 0:00:00 50.00it/s v_num: 0.000" whose values may go on below, "Epoch 3, global step 500: 'val_loss' reached
// 0.12 (best …)", and the tables "Validate metric | DataLoader 0". Epochs count from 0: the step is epoch * batches + position.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 5> kTriggers{", v_num=", " v_num: ", ", global step ", "Validate metric", "Test metric"};

// "train_loss: 0.158" and nothing else.
bool OnlyField(std::string_view text, MetricLine& out) {
  WordFieldReader fields(text);
  const auto field = fields.Next();
  if (!field || !text.starts_with(field->name) || !Trim(field->after).empty()) return false;
  out.Add(field->name, field->value);
  return true;
}

Parsed Bar(std::string_view text, LogContext& context, MetricLine& out) {
  const auto bar = ParseBar(text);
  if (!bar || !bar->description.starts_with("Epoch ")) return Parsed::kNotMine;
  const auto epoch = ParseInteger(Trim(bar->description.substr(6)));
  if (!epoch) return Parsed::kNotMine;
  context.epoch = static_cast<double>(*epoch);
  out.epoch = context.epoch;
  out.SetStep(context.epoch * bar->total + bar->position);
  WordFieldReader fields(bar->postfix);
  while (const auto field = fields.Next()) {
    if (field->name != "v_num") out.Add(field->name, field->value);
  }
  return Parsed::kRow;
}

Parsed RichBar(std::string_view text, LogContext& context, MetricLine& out) {
  if (!text.starts_with("Epoch ")) return Parsed::kNotMine;
  const auto epoch = ReadPositionOfTotal(text.substr(6));
  const std::size_t clock = text.find("it/s");
  const std::size_t bar_end = text.rfind("\xE2\x94\x81");  // U+2501, what the bar is drawn with
  if (!epoch || clock == std::string_view::npos || bar_end == std::string_view::npos) return Parsed::kNotMine;
  const auto position = ReadPositionOfTotal(text.substr(bar_end + 3));
  if (!position) return Parsed::kNotMine;
  context.epoch = epoch->position;
  out.epoch = context.epoch;
  out.planned_epochs = epoch->total + 1;
  out.SetStep(epoch->position * position->total + position->position);
  WordFieldReader fields(text.substr(clock + 4));
  while (const auto field = fields.Next()) {
    if (field->name != "v_num") out.Add(field->name, field->value);
  }
  context.header = {"rich"};
  context.wants_next_line = true;
  return out.values().empty() ? Parsed::kContext : Parsed::kRow;
}

// "Epoch 3, global step 500: 'val_loss' reached 0.12345 (best 0.12345), saving model to …".
Parsed Checkpoint(std::string_view text, MetricLine& out) {
  if (!text.starts_with("Epoch ")) return Parsed::kNotMine;
  const auto epoch = ParseNumberPrefix(text.substr(6));
  const std::size_t word = text.find(", global step ");
  const std::size_t open = text.find(": '");
  if (!epoch || word == std::string_view::npos || open == std::string_view::npos) return Parsed::kNotMine;
  const auto step = ParseNumberPrefix(text.substr(word + 14));
  const std::size_t close = text.find("' reached ", open + 3);
  if (!step || close == std::string_view::npos) return Parsed::kNotMine;
  const auto value = ParseNumberPrefix(text.substr(close + 10));
  if (!value) return Parsed::kNotMine;
  out.epoch = epoch->value;
  out.SetStep(step->value);
  out.Add(text.substr(open + 3, close - open - 3), value->value);
  return Parsed::kRow;
}

// "val_loss    0.1234" with or without vertical rules.
Parsed MetricRow(std::string_view text, const LogContext& context, MetricLine& out) {
  if (IsRuleLine(text)) return Parsed::kContext;
  std::vector<std::string_view> cells;
  if (!SplitCells(text, cells, 2) || cells.size() != 2 || cells[0].find(' ') != std::string_view::npos) return Parsed::kNotMine;
  const auto value = ParseNumber(cells[1]);
  if (!value) return Parsed::kNotMine;
  out.epoch = context.epoch;
  out.Add(cells[0], *value);
  return Parsed::kRow;
}

Parsed Parse(const LogLine& line, LogContext& context, MetricLine& out) {
  const std::string_view text = Trim(line.text);
  if (text.find("Validate metric") != std::string_view::npos || text.find("Test metric") != std::string_view::npos) {
    if (text.find("DataLoader 0") == std::string_view::npos) return Parsed::kNotMine;
    context.header = {"metric", "DataLoader 0"};
    context.wants_next_line = true;
    return Parsed::kContext;
  }
  if (context.wants_next_line && context.header.size() == 2 && context.header[0] == "metric") {
    const Parsed row = MetricRow(text, context, out);
    if (row != Parsed::kNotMine) return row;
  }
  if (context.wants_next_line && context.header.size() == 1 && OnlyField(text, out)) {
    out.epoch = context.epoch;
    return Parsed::kRow;
  }
  if (text.find(", v_num=") != std::string_view::npos) return Bar(text, context, out);
  if (text.find(" v_num: ") != std::string_view::npos) return RichBar(text, context, out);
  return Checkpoint(text, out);
}

}  // namespace

extern const Dialect lightning;
constinit const Dialect lightning{
    .id = "lightning",
    .title = "Lightning: bars, monitored values and result tables",
    .triggers = kTriggers,
    .precedence = 28,
    .sample = "Epoch 3:  55%|#####5    | 55/100 [00:01<00:00, 50.0it/s, v_num=0, train_loss=0.512]",
    .parse = Parse,
};

}  // namespace assay::dialects
