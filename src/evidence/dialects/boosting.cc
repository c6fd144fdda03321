// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// Rounds of gradient boosting. XGBoost: "[10]<tab>train-rmse:0.5<tab>eval-rmse:0.6"; LightGBM: "[10]<tab>valid_0's auc: 0.9";
// CatBoost: "10:<tab>learn: 0.5<tab>test: 0.6<tab>best: 0.6 (10)<tab>total: 100ms<tab>remaining: 1s".
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 3> kTriggers{"]\t", ":\tlearn: ", "est iteration is:"};
// In the header while the next line repeats the best round, which is no step back.
constexpr std::string_view kBest = "best iteration";

Parsed Parse(const LogLine& line, LogContext& context, MetricLine& out) {
  std::string_view text = line.text;
  const bool repeats = context.header.size() == 1 && context.header[0] == kBest;
  if (repeats) context.header.clear();
  context.wants_next_line = false;
  if (Trim(text).ends_with("est iteration is:")) {
    context.header = {std::string(kBest)};
    context.wants_next_line = true;
    return Parsed::kContext;
  }
  const bool bracket = text.starts_with('[');
  if (bracket) text.remove_prefix(1);
  const auto round = ParseNumberPrefix(text);
  if (!round || !IsDigit(text[0])) return Parsed::kNotMine;
  text.remove_prefix(round->length);
  if (!text.starts_with(bracket ? "]\t" : ":\tlearn: ")) return Parsed::kNotMine;
  text.remove_prefix(2);
  DelimitedFieldReader fields(text, "\t");
  while (const auto field = fields.Next()) {
    if (field->name == "total" || field->name == "remaining") continue;
    out.Add(field->name, field->value);
  }
  if (out.values().empty()) return Parsed::kNotMine;
  out.SetStep(round->value);
  return repeats ? Parsed::kContext : Parsed::kRow;
}

}  // namespace

extern const Dialect boosting;
constinit const Dialect boosting{
    .id = "boosting",
    .title = "XGBoost, LightGBM, CatBoost: one round a line",
    .triggers = kTriggers,
    .precedence = 24,
    .sample = "[10]\ttrain-logloss:0.41203\teval-logloss:0.45120",
    .parse = Parse,
};

}  // namespace assay::dialects
