// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/dialects/dialect.h"

// Hugging Face Trainer and what builds on it (TRL, axolotl, Unsloth): one Python dict a line, values as numbers or, since
// transformers 5, as strings. Often glued behind a progress bar without a newline.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 6> kTriggers{"{'loss': ", "{'eval_", "{'train_", "'epoch': ", "'grad_norm': ", "\"epoch\": "};

bool IsQuote(char c) { return c == '\'' || c == '"'; }

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  std::string_view text = line.text;
  const std::size_t open = text.find('{');
  if (open == std::string_view::npos || open + 1 >= text.size() || !IsQuote(text[open + 1])) return Parsed::kNotMine;
  text.remove_prefix(open + 1);
  bool any = false;
  while (!text.empty() && IsQuote(text[0])) {
    const char quote = text[0];
    const std::size_t end = text.find(quote, 1);
    if (end == std::string_view::npos) break;
    const std::string_view key = text.substr(1, end - 1);
    text = Trim(text.substr(end + 1));
    if (!text.starts_with(':')) break;
    text = Trim(text.substr(1));
    const bool quoted = !text.empty() && IsQuote(text[0]);
    if (quoted) text.remove_prefix(1);
    if (const auto number = ParseNumberPrefix(text)) {
      if (key == "epoch") {
        out.epoch = number->value;
      } else if (key == "step") {
        out.step = static_cast<std::int64_t>(number->value);
      } else {
        out.Add(key, number->value);
        any = true;
      }
      text.remove_prefix(number->length);
    }
    // On to the next key, whatever stood there: a text, None, a nested value.
    const std::size_t comma = text.find(", ");
    if (comma == std::string_view::npos) break;
    text = text.substr(comma + 2);
  }
  return any ? Parsed::kRow : Parsed::kNotMine;
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
