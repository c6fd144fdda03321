// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "evidence/codecs/field_reader.h"
#include "evidence/dialects/dialect.h"

// The generic dialect: "step 100 | loss 2.31 | lr 1e-4", "loss=0.5 acc: 0.9". Last in order; it takes a line only if it names a
// metric that assay knows, and reads every "name number" pair of it. A word such as "val" without a number of its own says on
// which set the names behind it were measured: "train loss 0.5 acc 0.9 | val loss 0.6 acc 0.8".
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 13> kTriggers{
    "loss", "Loss", "LOSS", "grad_norm", "gnorm", "trl:", "tel:", "ppl", "L_out=", "perplexity", "ccuracy", "auc", "AUC"};

bool IsNameChar(char c) { return IsIdentifierChar(c) || c == '/' || c == '@' || c == '.' || c == '-'; }

bool IsStepName(std::string_view lower) {
  return lower == "step" || lower == "iter" || lower == "iteration" || lower == "global_step" || lower == "s" || lower == "it" ||
         lower == "steps" || lower == "update" || lower == "num_updates" || lower == "batch";
}

enum class Set { kUnsaid, kTraining, kEvaluation };
std::optional<Set> SetOfWord(std::string_view lower) {
  if (lower == "train" || lower == "training") return Set::kTraining;
  constexpr std::array<std::string_view, 7> kEvaluation{"val", "valid", "validation", "test", "eval", "evaluation", "dev"};
  if (std::find(kEvaluation.begin(), kEvaluation.end(), lower) != kEvaluation.end()) return Set::kEvaluation;
  return std::nullopt;
}

// "100/5000": position and total.
std::size_t TotalAfter(std::string_view text, double& total) {
  if (!text.starts_with('/')) return 0;
  const auto number = ParseNumberPrefix(text.substr(1), true);
  if (!number) return 0;
  total = number->value;
  return number->length + 1;
}

// Where the value of a name that ends at `at` begins, or npos when nothing stands between.
std::size_t ValueBegin(std::string_view text, std::size_t at) {
  const std::size_t name_end = at;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  if (at < text.size() && (text[at] == ':' || text[at] == '=')) {
    ++at;
    while (at < text.size() && (text[at] == ' ' || text[at] == '[' || text[at] == '\'' || text[at] == '"')) ++at;
    return at;
  }
  return at == name_end ? std::string_view::npos : at;
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  const std::string_view text = line.text;
  bool known = false;
  bool score = false;
  Set set = Set::kUnsaid;
  std::size_t i = 0;
  while (i < text.size()) {
    if (!IsIdentifierChar(text[i]) || IsDigit(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && IsNameChar(text[i])) ++i;
    const std::string_view name = text.substr(begin, i - begin);
    const std::size_t at = ValueBegin(text, i);
    if (at == std::string_view::npos) continue;
    const auto number = ReadMeasuredNumber(text.substr(at));
    const std::string lower = name.size() <= 64 ? ToLower(name) : std::string();
    if (!number) {
      if (const auto said = SetOfWord(lower)) set = *said;
      continue;
    }
    std::size_t end = at + number->length;
    double total = 0;
    if (number->unit.empty()) end += TotalAfter(text.substr(end), total);
    i = end;
    if (IsStepName(lower)) {
      if (out.step == kNoStep) {
        out.SetStep(number->value);
        out.SetPlannedSteps(total);
      }
    } else if (lower == "epoch") {
      out.epoch = number->value;
      out.planned_epochs = total;
    } else {
      const bool evaluated = set == Set::kEvaluation && !NameIsEvaluation(name) && !lower.starts_with("train");
      const std::string_view full = evaluated ? out.Keep("val/" + std::string(name)) : name;
      out.Add(full, number->value, number->unit);
      const Metric metric = MetricOfName(full);
      known = known || metric == Metric::kLoss || metric == Metric::kEvalLoss || metric == Metric::kGradNorm ||
              metric == Metric::kPerplexity;
      score = score || metric == Metric::kAccuracy || metric == Metric::kEvalAccuracy;
    }
  }
  const bool placed = out.step != kNoStep || !std::isnan(out.epoch);
  return known || (score && placed) ? Parsed::kRow : Parsed::kNotMine;
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
