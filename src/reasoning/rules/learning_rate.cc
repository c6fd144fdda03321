// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "base/whole_number.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 5> kYields{"lr-near-peak-at-break", "lr-unusual", "lr-zero", "lr-ends-early",
                                                  "lr-not-as-config"};

Finding& Add(Findings& out, const MetricTable& table, std::size_t row, std::string_view id, std::string statement) {
  return AddAt(out, "learning-rate", table, row, id, std::move(statement));
}

// The first row at which a loss of this table is non-finite and stays so.
std::optional<std::size_t> BreakOf(const MetricTable& table) {
  const Series loss = SeriesOf(table, Metric::kLoss);
  std::optional<std::size_t> first;
  for (const SeriesPoint& p : loss) {
    if (std::isfinite(p.value)) {
      first.reset();
    } else if (!first) {
      first = p.row;
    }
  }
  return first;
}

void LookAtBreak(const MetricTable& table, const Series& rate, Findings& out) {
  const auto broke = BreakOf(table);
  if (!broke) return;
  const Series before = rate.Before(*broke + 1);
  if (before.size() < 3) return;
  const auto by_value = [](const SeriesPoint& a, const SeriesPoint& b) { return a.value < b.value; };
  const double peak = std::max_element(rate.begin(), rate.end(), by_value)->value;
  const double least = std::min_element(before.begin(), before.end(), by_value)->value;
  const double at_break = before.back().value;
  // A constant rate is always at its peak and says nothing.
  if (peak <= 0 || least >= 0.95 * peak) return;
  const bool rising = before.back().value > before[before.size() - 2].value;
  if (!rising && at_break < 0.9 * peak) return;
  Finding& finding =
      Add(out, table, before.back().row, "lr-near-peak-at-break",
          fmt::format("The learning rate was {}{} at {}, when the loss broke; it had been as low as {}.", FormatNumber(at_break),
                      rising ? " and rising" : "", PlaceOf(table, before.back().row), FormatNumber(least)));
  finding.cites.push_back(table.Cite(*broke));
}

// A printed 0 is smaller than a few thousandths of the peak: either the writer prints all digits, or its other values show that
// many.
bool ZeroIsZero(const MetricTable& table, const FactView& facts, const Series& rate) {
  if (PrintsAllDigits(table, facts)) return true;
  double peak = 0;
  for (const SeriesPoint& p : rate) peak = std::max(peak, p.value);
  double place = 1;  // the last decimal place in use
  const auto fits = [&](const SeriesPoint& p) { return std::abs(p.value / place - std::round(p.value / place)) < 1e-4; };
  while (place > 1e-12 && !std::all_of(rate.begin(), rate.end(), fits)) place /= 10;
  return peak > 0 && place <= 5e-3 * peak;
}

// The configuration itself ends the decay there: a schedule that stays at 0 afterwards is what was asked for.
bool DecayIsConfigured(const FactView& facts, double from) {
  for (const std::string_view name : {"lr_decay_iters", "lr_decay_steps", "decay_steps", "num_decay_steps", "anneal_steps"}) {
    for (const ConfigValue* value : facts.Config(name)) {
      const auto steps = ParseNumber(Trim(value->value));
      if (steps && *steps > 0 && std::abs(from - *steps) <= 0.05 * *steps) return true;
    }
  }
  return false;
}

// How far a training gets and is meant to get, in steps; where the writer prints only epochs, in those.
struct Course {
  std::optional<double> planned;
  bool epochs = false;

  std::optional<double> At(const MetricRow& row) const {
    if (epochs) return std::isnan(row.epoch) ? std::nullopt : std::optional(row.epoch);
    return row.step == kNoStep ? std::nullopt : std::optional(static_cast<double>(row.step));
  }
  std::string_view unit() const { return epochs ? "epoch" : "step"; }
};

Course CourseOf(const FactView& facts, const MetricTable& table, const Series& rate) {
  const bool steps =
      std::any_of(rate.begin(), rate.end(), [&](const SeriesPoint& p) { return table.row(p.row).step != kNoStep; });
  if (steps) return {.planned = PlannedSteps(table, facts)};
  Course course{.epochs = true};
  if (table.planned_epochs > 0) course.planned = table.planned_epochs;
  for (const SignatureHit* hit : facts.Hits("planned-length")) {
    const auto epochs = ParseNumberPrefix(hit->Capture("epochs"), true);
    if (epochs && hit->cite.source == table.source && epochs->value > 0) course.planned = epochs->value;
  }
  return course;
}

void LookForZero(const FactView& facts, const MetricTable& table, const Series& rate, Findings& out) {
  const Course course = CourseOf(facts, table, rate);
  const std::optional<double> planned = course.planned;
  const bool positive = std::any_of(rate.begin(), rate.end(), [](const SeriesPoint& p) { return p.value > 0; });
  // The rows at the end that are 0: from where on?
  std::size_t first = rate.size();
  while (first > 0 && std::abs(rate[first - 1].value) < 1e-12) --first;
  const std::size_t zeros = rate.size() - first;
  if (zeros < 5 || !planned || table.step_is_position || !ZeroIsZero(table, facts, rate)) return;
  const auto from = course.At(table.row(rate[first].row));
  const auto last = course.At(table.row(rate.back().row));
  if (!from || !last || *last <= *from) return;
  if (*planned - *from < 0.1 * *planned || *last > *planned) return;
  if (positive && first > 0 && !course.epochs && DecayIsConfigured(facts, *from)) return;
  // Without a positive rate before it this may be a warm-up or a scaler that skips its first steps: those are over by a tenth.
  if (!positive && *last < 0.1 * *planned) return;
  Finding& finding = Add(out, table, rate[first].row, "lr-zero",
                         fmt::format("The learning rate is 0 from {}{} to {} {}, in {} values, while {} {}s are planned.",
                                     first == 0 ? "the first value on, " : "", PlaceOf(table, rate[first].row), course.unit(),
                                     FormatNumber(*last), zeros, FormatNumber(*planned), course.unit()));
  finding.cites.push_back(table.Cite(rate.back().row));
  if (!positive || first == 0) return;
  // The last positive rate shows where the schedule ended, if it was logged shortly before.
  const auto before = course.At(table.row(rate[first - 1].row));
  if (!before || *from - *before > 0.05 * *planned) return;
  const double ratio = *planned / *from;
  const bool whole = ratio >= 1.9 && std::abs(ratio - std::round(ratio)) < 0.05 * ratio;
  Finding& early =
      Add(out, table, rate[first].row, "lr-ends-early",
          whole ? fmt::format("The schedule of the learning rate was at its end at {} {}, about 1/{} of the {} planned {}s.",
                              course.unit(), FormatNumber(*from), NearestWhole(ratio), FormatNumber(*planned), course.unit())
                : fmt::format("The schedule of the learning rate was at its end at {} {} of {} planned ({:.0f} %).",
                              course.unit(), FormatNumber(*from), FormatNumber(*planned), 100.0 / ratio));
  early.cites.push_back(table.Cite(rate[first - 1].row));
}

void LookForUnusual(const FactView& facts, Findings& out) {
  double peak = 0;
  std::optional<Citation> cite;
  for (const MetricTable& table : facts.tables()) {
    for (const SeriesPoint& p : SeriesOf(table, Metric::kLearningRate)) {
      if (!std::isfinite(p.value) || p.value <= peak) continue;
      peak = p.value;
      cite = table.Cite(p.row);
    }
  }
  if (!cite) {
    constexpr std::array<std::string_view, 4> kNames{"learning_rate", "lr", "lr0", "base_lr"};
    if (const ConfigValue* value = facts.FirstConfig(kNames)) {
      peak = ParseNumber(Trim(value->value)).value_or(0);
      cite = value->cite;
    }
  }
  if (!cite) {
    if (AnythingNonfinite(facts))
      out.NotChecked("lr-unusual", "neither a series of the learning rate nor a configured one was found");
    return;
  }
  const OptimizerUse optimizer = OptimizerOf(facts);
  double limit = 0;
  std::string for_what;
  if (optimizer.family == OptimizerFamily::kAdam && FineTunesPretrained(facts)) {
    limit = 1e-3;
    for_what = "fine-tuning a pretrained model in full";
  } else if (optimizer.family == OptimizerFamily::kAdam) {
    limit = 1e-2;
    for_what = optimizer.name;
  } else if (optimizer.family == OptimizerFamily::kSgd) {
    limit = 1;
    for_what = optimizer.name;
  }
  if (limit == 0 || peak <= limit * 1.0001) return;
  std::vector<Citation> cites{*cite};
  if (optimizer.cite) cites.push_back(*optimizer.cite);
  out.Add("learning-rate", "lr-unusual",
          fmt::format("The learning rate reaches {}, above {} for {}.", FormatNumber(peak), FormatNumber(limit), for_what),
          std::move(cites));
}

// A schedule that the config names and the series does not follow.
void CompareWithConfig(const FactView& facts, const MetricTable& table, const Series& rate, Findings& out) {
  constexpr std::array<std::string_view, 5> kNames{"lr_scheduler_type", "lr_scheduler", "lr_schedule", "lr_decay_style",
                                                   "scheduler"};
  const ConfigValue* schedule = facts.FirstConfig(kNames);
  const auto planned = PlannedSteps(table, facts);
  if (schedule == nullptr || !planned || table.step_is_position || rate.size() < 10) return;
  const std::string name = ToLower(schedule->value);
  double least = 0;
  double most = 0;
  std::optional<std::size_t> first_row;
  double from = 0;
  double to = 0;
  for (const SeriesPoint& p : rate) {
    const std::int64_t step = table.row(p.row).step;
    if (step == kNoStep || !std::isfinite(p.value)) return;
    if (static_cast<double>(step) < 0.2 * *planned || static_cast<double>(step) > 0.8 * *planned) continue;
    if (!first_row) {
      first_row = p.row;
      from = static_cast<double>(step);
      least = most = p.value;
    }
    least = std::min(least, p.value);
    most = std::max(most, p.value);
    to = static_cast<double>(step);
  }
  if (!first_row || to - from < 0.4 * *planned || most <= 0 || (!PrintsAllDigits(table, facts) && most < 1e-2)) return;
  const bool decays = name == "linear" || name == "cosine" || name == "polynomial";
  const bool constant = name == "constant";
  if ((decays && least > 0.999 * most) || (constant && least < 0.99 * most)) {
    Finding& finding = Add(
        out, table, *first_row, "lr-not-as-config",
        fmt::format("The config asks for a {} schedule, and between steps {} and {} the learning rate lies between {} and {}.",
                    Printable(name, 40), FormatNumber(from), FormatNumber(to), FormatNumber(least), FormatNumber(most)));
    finding.cites.push_back(schedule->cite);
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  for (const MetricTable& table : facts.tables()) {
    const Series rate = SeriesOf(table, Metric::kLearningRate);
    if (rate.empty()) continue;
    LookAtBreak(table, rate, out);
    LookForZero(facts, table, rate, out);
    CompareWithConfig(facts, table, rate, out);
  }
  LookForUnusual(facts, out);
}

}  // namespace

extern const Rule learning_rate;
constinit const Rule learning_rate{
    .id = "learning-rate",
    .title = "The learning rate over the steps, against plan, break and custom",
    .looks_at = "learning rate of every log and metric file, and the configured rate, schedule and optimizer",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
