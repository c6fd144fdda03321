// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "base/text.h"
#include "evidence/dialects/dialect.h"

// The generic dialect: "step 100 | loss 2.31 | lr 1e-4", "loss=0.5 acc: 0.9". Last in order; it takes a line only if it names a
// metric that assay knows, and reads every "name number" pair of it.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 9> kTriggers{"loss", "Loss", "LOSS", "grad_norm", "gnorm", "trl:", "tel:", "ppl", "perplexity"};

bool IsNameChar(char c) { return IsIdentifierChar(c) || c == '/' || c == '@' || c == '.' || c == '-'; }

bool IsStepName(std::string_view lower) {
  return lower == "step" || lower == "iter" || lower == "iteration" || lower == "global_step" || lower == "s" || lower == "it" ||
         lower == "steps" || lower == "update" || lower == "num_updates" || lower == "batch";
}

// "100/5000": position and total.
std::size_t TotalAfter(std::string_view text, double& total) {
  if (!text.starts_with('/')) return 0;
  const auto number = ParseNumberPrefix(text.substr(1), true);
  if (!number) return 0;
  total = number->value;
  return number->length + 1;
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  const std::string_view text = line.text;
  bool known = false;
  std::size_t i = 0;
  while (i < text.size()) {
    if (!IsIdentifierChar(text[i]) || IsDigit(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && IsNameChar(text[i])) ++i;
    std::string_view name = text.substr(begin, i - begin);
    // "train loss 0.3": a word in front of the name belongs to it.
    std::size_t at = i;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    if (at < text.size() && (text[at] == ':' || text[at] == '=')) {
      ++at;
      while (at < text.size() && (text[at] == ' ' || text[at] == '[' || text[at] == '\'' || text[at] == '"')) ++at;
    } else if (at == i) {
      continue;
    }
    const auto number = ParseNumberPrefix(text.substr(at), true);
    if (!number) continue;
    std::size_t end = at + number->length;
    double total = 0;
    end += TotalAfter(text.substr(end), total);
    if (end < text.size() && IsIdentifierChar(text[end]) && text[end] != 's' && text[end] != 'm' && text[end] != 'G' && text[end] != 'M') {
      i = end;
      continue;  // "3D", "4x": no number of its own
    }
    const std::string lower = ToLower(name);
    if (IsStepName(lower)) {
      if (out.step == kNoStep) {
        out.step = static_cast<std::int64_t>(number->value);
        out.planned_steps = static_cast<std::int64_t>(total);
      }
    } else if (lower == "epoch") {
      out.epoch = number->value;
      out.planned_epochs = total;
    } else {
      out.Add(name, number->value);
      const Metric metric = MetricOfName(name);
      known = known || metric == Metric::kLoss || metric == Metric::kEvalLoss || metric == Metric::kGradNorm || metric == Metric::kPerplexity;
    }
    i = end;
  }
  return known ? Parsed::kRow : Parsed::kNotMine;
}

}  // namespace

extern const Dialect key_value;
constinit const Dialect key_value{
    .id = "key-value",
    .title = "Names and numbers in any order",
    .triggers = kTriggers,
    .precedence = 1000,
    .sample = "step 1841 | loss 2.713 | grad_norm 0.84",
    .parse = Parse,
};

}  // namespace assay::dialects
