// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// timm: "Train: E [ i/N (pct%)]  Loss: F (avg)  Time: Fs, F/s  (Fs, F/s)  LR: F  Data: F (F)", "Test: [ i/N]  Time: F (F)  Loss:
// F (F) Acc@1: F (F)" and "*** Best metric: F (epoch E)". The global step is epoch * N + i. Of a test line the running average in
// parentheses counts: after the last batch it is the result of the epoch.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 3> kTriggers{"Train: ", "Test: ", "*** Best metric: "};

Parsed BestMetric(std::string_view text, MetricLine& out) {
  const auto value = ParseNumberPrefix(text);
  if (!value) return Parsed::kNotMine;
  text.remove_prefix(value->length);
  if (!text.starts_with(" (epoch ")) return Parsed::kNotMine;
  const auto epoch = ParseNumberPrefix(text.substr(8));
  if (!epoch) return Parsed::kNotMine;
  out.epoch = epoch->value;
  out.Add("best_metric", value->value);
  return Parsed::kRow;
}

Parsed Parse(const LogLine& line, LogContext& context, MetricLine& out) {
  constexpr std::string_view kBest = "*** Best metric: ";
  std::string_view text = line.text;
  if (text.starts_with(kBest)) return BestMetric(text.substr(kBest.size()), out);
  const bool training = text.starts_with("Train: ");
  const bool testing = text.starts_with("Test: ") || text.starts_with("Test (EMA): ");
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if ((!training && !testing) || open == std::string_view::npos || close == std::string_view::npos || close < open)
    return Parsed::kNotMine;
  const auto position = ReadPositionOfTotal(text.substr(open + 1, close - open - 1));
  if (!position) return Parsed::kNotMine;
  if (training) {
    const auto epoch = ParseNumberPrefix(text.substr(7));
    if (!epoch) return Parsed::kNotMine;
    context.epoch = epoch->value;
    out.SetStep(epoch->value * position->total + position->position);
  }
  out.epoch = context.epoch;
  WordFieldReader fields(text.substr(close + 1));
  while (const auto field = fields.Next()) {
    double value = field->value;
    const std::string_view after = Trim(field->after);
    if (testing) {
      if (after.starts_with('(')) {
        const auto average = ParseNumberPrefix(Trim(after.substr(1)));
        if (!average) continue;
        value = average->value;
      }
      out.Add(out.Keep("test/" + std::string(field->name)), value);
      continue;
    }
    out.Add(field->name, value);
    if (field->name == "Time" && after.starts_with(',')) {
      const std::string_view rate = Trim(after.substr(1));
      const auto number = ParseNumberPrefix(rate);
      if (number && rate.substr(number->length).starts_with("/s")) out.Add("samples_per_second", number->value);
    }
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect timm;
constinit const Dialect timm{
    .id = "timm",
    .title = "timm: batches of training and test",
    .triggers = kTriggers,
    .precedence = 18,
    .sample =
        "Train: 3 [  50/1251 (  4%)]  Loss: 6.94 (6.95)  Time: 0.412s,  621.35/s  (0.420s,  609.52/s)  LR: 1.000e-04  Data: "
        "0.011 (0.032)",
    .parse = Parse,
};

}  // namespace assay::dialects
