// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "evidence/codecs/dict_reader.h"
#include "evidence/dialects/dialect.h"

// Loggers that print one dict (repr or JSON) a line: {"step": 100, "train/loss": 2.31, "lr": 0.0003}. Taken only if it names a
// step, an epoch or a metric that assay knows; one level of nested dicts is read as "outer/inner".
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 12> kTriggers{
    "loss': ",   "loss\": ",    "loss\":",    "'step': ", "\"step\": ", "\"step\":",
    "'epoch': ", "\"epoch\": ", "\"epoch\":", "'iter': ", "\"iter\": ", "\"num_updates\": "};

bool IsStepName(std::string_view key) {
  return key == "step" || key == "iter" || key == "iteration" || key == "global_step" || key == "num_updates" || key == "_step";
}

void Take(std::string_view name, const DictEntry& entry, MetricLine& out, bool& known) {
  if (IsStepName(entry.key)) {
    out.SetStep(*entry.number);
    return;
  }
  if (entry.key == "epoch") {
    out.epoch = *entry.number;
    return;
  }
  out.Add(name, *entry.number);
  const Metric metric = MetricOfName(name);
  known = known || metric == Metric::kLoss || metric == Metric::kEvalLoss || metric == Metric::kGradNorm ||
          metric == Metric::kAccuracy || metric == Metric::kEvalAccuracy || metric == Metric::kLearningRate ||
          metric == Metric::kPerplexity;
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  DictReader dict(line.text);
  bool known = false;
  while (const auto entry = dict.Next()) {
    if (entry->number) {
      Take(entry->key, *entry, out, known);
    } else if (entry->value.starts_with('{')) {
      DictReader inner(entry->value);
      while (const auto nested = inner.Next()) {
        if (!nested->number) continue;
        Take(out.Keep(std::string(entry->key) + "/" + std::string(nested->key)), *nested, out, known);
      }
    }
  }
  const bool placed = out.step != kNoStep || out.epoch == out.epoch;
  // Settings are printed as dicts too: {'lr': 1e-05, 'betas': …} has neither position nor loss.
  if (!known || !(placed || line.text.find("loss") != std::string_view::npos)) return Parsed::kNotMine;
  return Parsed::kRow;
}

}  // namespace

extern const Dialect python_dict;
constinit const Dialect python_dict{
    .id = "python-dict",
    .title = "A dict or JSON object a line, of any logger",
    .triggers = kTriggers,
    .precedence = 40,
    .sample = "{\"step\": 100, \"train/loss\": 2.31, \"lr\": 0.0003}",
    .parse = Parse,
};

}  // namespace assay::dialects
