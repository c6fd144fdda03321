// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "base/text.h"
#include "evidence/codecs/bar_state.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// Values that a loop hangs on its tqdm bar: "… 55/100 [00:01<00:00, 50.0it/s, loss=0.5, lr=0.0003]", or puts before it:
// "loss=nan, logdet=nan]: 200it [05:16, 1.58s/it]". The step is the bar's position; "Epoch 3" in the description is the epoch.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 4> kTriggers{"%|", "it [", "it/s, ", "s/it, "};

// "Epoch 3", "Epoch 3/10", "epoch: 3"; only where the number is the first thing behind the word.
void ReadEpoch(std::string_view description, MetricLine& out) {
  const std::size_t at = std::min(description.find("Epoch"), description.find("epoch"));
  if (at == std::string_view::npos) return;
  std::string_view text = description.substr(at + 5);
  while (!text.empty() && (text[0] == ' ' || text[0] == ':' || text[0] == '=' || text[0] == '[' || text[0] == '#'))
    text.remove_prefix(1);
  if (const auto position = ReadPositionOfTotal(text)) {
    out.epoch = position->position;
    out.planned_epochs = position->total;
  } else if (const auto number = ParseNumberPrefix(text)) {
    out.epoch = number->value;
  }
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  if (line.text.find('=') == std::string_view::npos) return Parsed::kNotMine;
  const auto bar = ParseBar(line.text);
  if (!bar || CountsPreparation(*bar)) return Parsed::kNotMine;
  for (std::string_view part : {bar->description, bar->postfix}) {
    if (part.find('=') == std::string_view::npos) continue;
    if (part.starts_with('[') && part.ends_with(']'))
      part = part.substr(1, part.size() - 2);  // a dict or list used as description
    DelimitedFieldReader fields(part, ", ");
    while (const auto field = fields.Next()) {
      if (ToLower(field->name) == "epoch") {
        out.epoch = field->value;
      } else {
        out.Add(field->name, field->value, field->unit);
      }
    }
  }
  if (out.values().empty()) return Parsed::kNotMine;
  if (std::isnan(out.epoch)) ReadEpoch(bar->description, out);
  out.SetStep(bar->position);
  out.SetPlannedSteps(bar->total);
  return Parsed::kRow;
}

}  // namespace

extern const Dialect tqdm;
constinit const Dialect tqdm{
    .id = "tqdm",
    .title = "Values on a tqdm bar",
    .triggers = kTriggers,
    .precedence = 29,
    .sample = " 25%|##5       | 2500/10000 [10:01<30:12,  4.1it/s, lr=0.0, step_loss=0.0912]",
    .parse = Parse,
};

}  // namespace assay::dialects
