// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "reasoning/evaluations.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"

// Arithmetic of counts: what was scored against what is there, and fractions whose divisor can be read off.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"count-mismatch", "ragged-last-batch", "running-mean-arith"};

bool IsScoredCount(std::string_view name) {
  const std::string lower = ToLower(name);
  const std::string word = lower.substr(lower.find_last_of("/.") + 1);
  constexpr std::array<std::string_view, 8> kWords{"scored",      "evaluated",     "n_scored",    "num_scored",
                                                   "n_evaluated", "num_evaluated", "predictions", "num_predictions"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// A subset that the project asks for.
bool DeclaresSubset(const FactView& facts) {
  constexpr std::array<std::string_view, 9> kNames{"max_eval_samples", "limit_val_batches", "limit_test_batches",
                                                   "eval_subset",      "val_subset",        "max_val_samples",
                                                   "eval_samples",     "num_eval_samples",  "validation_steps"};
  for (const std::string_view name : kNames) {
    const std::vector<const ConfigValue*> values = facts.Config(name);
    if (!values.empty() && !SaysNo(values.front()->value) && values.front()->value != "1.0") return true;
  }
  return false;
}

// "scored 10032" beside "correct 10018, accuracy 1.0018": correct / accuracy is the divisor.
void LookAtDivisor(const MetricTable& table, std::size_t scored, Findings& out) {
  std::optional<std::size_t> correct;
  std::optional<std::size_t> accuracy;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const std::string name = ToLower(table.columns()[c].name);
    if (name.ends_with("correct")) correct = c;
    if (name.ends_with("accuracy") || name.ends_with("acc")) accuracy = c;
  }
  if (!correct || !accuracy) return;
  std::size_t differs = 0;
  std::size_t seen = 0;
  std::size_t last = 0;
  double divisor = 0;
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    const auto n = table.At(i, scored);
    const auto k = table.At(i, *correct);
    const auto a = table.At(i, *accuracy);
    if (!n || !k || !a || *a <= 0 || *k <= 0 || *n <= 0 || !std::isfinite(*a)) continue;
    ++seen;
    const double scale = *a > 1.5 ? 100 : 1;
    const double half_digit = 0.5 * std::pow(10, -Decimals(*a)) / *a;
    if (std::abs(*k / *a * scale - *n) <= (half_digit + 1e-9) * *n * 1.01 + 0.5) continue;
    ++differs;
    last = i;
    divisor = *k / *a * scale;
  }
  if (seen == 0 || differs * 2 < seen) return;
  AddAt(out, "metric-counts", table, last, "count-mismatch",
        fmt::format("{} samples were scored at {}, but the printed accuracy divides the correct ones by about {:.0f}.",
                    FormatNumber(*table.At(last, scored)), PlaceOf(table, last), divisor));
}

void LookAtCounts(const FactView& facts, std::optional<SetSize> size, Findings& out) {
  bool looked = false;
  for (const MetricTable& table : facts.tables()) {
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      if (!IsScoredCount(table.columns()[c].name)) continue;
      looked = true;
      const Series counts = Series(table, c);
      if (size && !DeclaresSubset(facts) && !counts.empty() && counts.back().value != size->count && counts.back().value > 1) {
        Finding& finding = AddAt(out, "metric-counts", table, counts.back().row, "count-mismatch",
                                 fmt::format("{} samples were scored, while the evaluation set has {}.",
                                             FormatNumber(counts.back().value), FormatNumber(size->count)));
        if (std::find(finding.cites.begin(), finding.cites.end(), size->cite) == finding.cites.end())
          finding.cites.push_back(size->cite);
      }
      LookAtDivisor(table, c, out);
    }
  }
  if (!looked) out.NotChecked("count-mismatch", "the run does not print how many samples it scored");
}

void LookAtLastBatch(const FactView& facts, std::optional<SetSize> size, Findings& out) {
  constexpr std::array<std::string_view, 6> kBatch{
      "eval_batch_size", "val_batch_size", "test_batch_size", "per_device_eval_batch_size", "dev_batch_size", "batch_size"};
  constexpr std::array<std::string_view, 3> kDrops{"dataloader_drop_last", "drop_last", "eval_drop_last"};
  const ConfigValue* batch = facts.FirstConfig(kBatch);
  const ConfigValue* drops = facts.FirstConfig(kDrops);
  const double each = batch == nullptr ? 0 : ParseNumber(Trim(batch->value)).value_or(0);
  if (!size || !(each >= 2)) {
    out.NotChecked("ragged-last-batch", "the size of the evaluation set or of its batches is not known");
    return;
  }
  const double rest = std::fmod(size->count, each);
  if (rest == 0 || (drops != nullptr && SaysYes(drops->value))) return;
  out.Add("metric-counts", "ragged-last-batch",
          fmt::format("{} evaluation samples in batches of {} leave a last batch of {}.", FormatNumber(size->count),
                      FormatNumber(each), FormatNumber(rest)),
          {size->cite, batch->cite});
}

// With n items the k-th value times k times n is a whole number while the value times n is none: the mean runs over all
// evaluations.
void LookAtRunningMeans(const FactView& facts, std::optional<SetSize> size, Findings& out) {
  if (!size || size->count < 20 || size->count > 5000) {
    out.NotChecked("running-mean-arith", "the size of the evaluation set is not known, or too large for the printed digits");
    return;
  }
  const double n = size->count;
  const std::vector<Score> scores = ScoresOf(facts);
  for (const Score& score : scores) {
    if (!score.evaluation || score.kind != Score::Kind::kRatio || score.series.size() < 6) continue;
    const Scale scale = ScaleOf(score, scores);
    if (scale == Scale::kUnknown) continue;
    const double unit = scale == Scale::kPercent ? 100 : 1;
    std::size_t hits = 0;
    bool holds = true;
    double chance = 1;
    for (std::size_t i = 1; i < score.series.size() && holds; ++i) {
      const double value = score.series[i].value / unit;
      const double k = static_cast<double>(i + 1);
      const double error = 0.5 * std::pow(10, -Decimals(score.series[i].value)) / unit;
      if (!std::isfinite(value) || error * k * n > 0.2) break;  // too few digits from here on
      const double whole = value * k * n;
      const double alone = value * n;
      holds = std::abs(whole - std::round(whole)) <= error * k * n + 1e-6;
      if (std::abs(alone - std::round(alone)) <= error * n + 1e-6) continue;  // fits without a mean as well
      ++hits;
      chance *= std::min(1.0, 2 * error * k * n + 1e-6);
    }
    if (!holds || hits < 5 || chance > 0.05) continue;
    AddAt(out, "metric-counts", *score.table, score.series.back().row, "running-mean-arith",
          fmt::format("{} fits a mean over all evaluations so far in {} of them and no fraction of {} samples.", score.name, hits,
                      FormatNumber(n)));
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::optional<SetSize> size = EvaluationSetSize(facts);
  LookAtCounts(facts, size, out);
  LookAtLastBatch(facts, size, out);
  LookAtRunningMeans(facts, size, out);
}

}  // namespace

extern const Rule metric_counts;
constinit const Rule metric_counts{
    .id = "metric-counts",
    .title = "How many samples were scored, and what the fractions divide by",
    .looks_at = "counts of scored samples, the size of the evaluation set and the scores themselves",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
