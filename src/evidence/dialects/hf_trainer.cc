// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "evidence/codecs/dict_reader.h"
#include "evidence/dialects/dialect.h"

// Hugging Face Trainer and what builds on it (TRL, axolotl, Unsloth): one Python dict a line, values as numbers or, since
// transformers 5, as strings. Often glued behind a progress bar without a newline. Dicts of other loggers are python_dict's.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 3> kTriggers{"{'loss': ", "{'eval_", "{'train_"};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  DictReader dict(line.text);
  bool first = true;
  while (const auto entry = dict.Next()) {
    if (first && entry->key != "loss" && !entry->key.starts_with("eval_") && !entry->key.starts_with("train_"))
      return Parsed::kNotMine;
    first = false;
    if (!entry->number) continue;
    if (entry->key == "epoch") {
      out.epoch = *entry->number;
    } else if (entry->key == "step") {
      out.SetStep(*entry->number);
    } else {
      out.Add(entry->key, *entry->number);
    }
  }
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect hf_trainer;
constinit const Dialect hf_trainer{
    .id = "hf-trainer",
    .title = "Hugging Face Trainer: one dict a line",
    .triggers = kTriggers,
    .precedence = 10,
    .sample = "{'loss': 1.1042, 'grad_norm': 0.53, 'learning_rate': 0.0002, 'epoch': 0.5}",
    .parse = Parse,
};

}  // namespace assay::dialects
