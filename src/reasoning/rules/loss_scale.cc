// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "base/text.h"
#include "base/whole_number.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 5> kYields{"scale-collapse", "scale-at-floor", "scale-startup-skips",
                                                  "scale-falls-norm-flat", "skips-all"};

constexpr std::size_t kCollapseRun = 10;       // skips in a row that are more than calibration when no step follows
constexpr std::size_t kCalibrationSkips = 20;  // from 2^16 to below 1 are 17 halvings
constexpr std::int64_t kCalibrationSteps = 100;

Finding& Add(Findings& out, const MetricTable& table, std::size_t row, std::string_view id, std::string statement) {
  return AddAt(out, "loss-scale", table, row, id, std::move(statement));
}

// Loss scalers move by powers of two, which may be printed with few digits; another "scale" (a logit scale, an image scale) does
// not.
bool IsPowerOfTwo(double value) {
  constexpr double kRounding = 5e-4;  // four digits
  if (value <= 0) return false;
  int exponent = 0;
  const double part = std::frexp(value, &exponent);  // in [0.5, 1)
  return part - 0.5 < 0.5 * kRounding || 1 - part < kRounding;
}

struct Scale {
  const MetricTable* table = nullptr;
  Series scale;                           // positive powers of two, or a zero that they fell to
  std::optional<std::size_t> first_skip;  // rows that skipped at least one step
  std::optional<std::size_t> last_skip;
  double skipped = 0;   // steps
  std::size_t run = 0;  // longest run of skips without a step that succeeded
  std::size_t run_begin = 0;
  std::size_t run_end = 0;
};

// A plain "skipped" of a writer that assay does not know may count anything: batches that failed to load, files. It speaks of
// steps that a scaler skipped only where a scaler is at work.
bool TellsOfScaler(const FactView& facts, const MetricTable& table) {
  if (table.Find(Metric::kLossScale) || table.FindName("skipped_so_far")) return true;
  const auto column = FullestColumn(table, Metric::kSkippedSteps);
  if (!column) return false;
  constexpr std::array<std::string_view, 5> kGeneric{"key-value", "printed-table", "python-dict", "metrics-csv", "json-lines"};
  const bool generic = std::find(kGeneric.begin(), kGeneric.end(), table.writer) != kGeneric.end();
  if (!generic || table.columns()[*column].name != "skipped") return true;
  return Fp16Setting(facts) != nullptr || !facts.Hits("amp-on").empty() || !facts.Hits("fp16-on").empty();
}

// Steps that other writers of the same log print, by their place: the rows of their tables merged.
class StepsOfOthers {
 public:
  struct Step {
    std::uint64_t offset;
    std::int64_t step;
  };
  StepsOfOthers(const FactView& facts, const MetricTable& table) {
    for (const MetricTable& other : facts.tables()) {
      if (&other != &table && other.source == table.source && other.Find(Metric::kLoss)) Push(other, 0);
    }
  }
  // The next one, if it stands before this place.
  std::optional<Step> NextBefore(std::uint64_t offset) {
    if (next_.empty() || next_.top().step.offset >= offset) return std::nullopt;
    const Cursor cursor = next_.top();
    next_.pop();
    Push(*cursor.table, cursor.row + 1);
    return cursor.step;
  }

 private:
  struct Cursor {
    Step step;
    const MetricTable* table;
    std::size_t row;
    bool operator<(const Cursor& other) const {  // the queue gives the greatest
      return std::pair(step.offset, step.step) > std::pair(other.step.offset, other.step.step);
    }
  };
  void Push(const MetricTable& table, std::size_t row) {
    while (row < table.row_count() && table.row(row).step == kNoStep) ++row;
    if (row < table.row_count()) next_.push({{table.row(row).offset, table.row(row).step}, &table, row});
  }

  std::priority_queue<Cursor> next_;
};

Scale ReadScale(const FactView& facts, const MetricTable& table) {
  Scale s{.table = &table};
  StepsOfOthers others(facts, table);
  std::optional<std::int64_t> other;  // the last one so far
  double since_other = 0;             // steps skipped since the last one that another writer printed
  s.scale = SeriesOf(table, Metric::kLossScale);
  const bool sound =
      std::all_of(s.scale.begin(), s.scale.end(), [](const SeriesPoint& p) { return p.value == 0 || IsPowerOfTwo(p.value); });
  const bool positive = std::any_of(s.scale.begin(), s.scale.end(), [](const SeriesPoint& p) { return p.value > 0; });
  if (!sound || !positive) s.scale = {};
  const auto skip_column = FullestColumn(table, Metric::kSkippedSteps);
  const auto so_far = table.FindName("skipped_so_far");
  double succeeded = 0;
  std::int64_t previous = 0;
  std::size_t run = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    const double skipped = skip_column ? table.At(i, *skip_column).value_or(0) : 0;
    const std::int64_t step = table.row(i).step;
    while (const auto next = others.NextBefore(table.row(i).offset)) {
      // More steps passed than were skipped: some succeeded.
      if (other && static_cast<double>(next->step - *other) > since_other) run = 0;
      other = next->step;
      since_other = 0;
    }
    since_other += skipped;
    // A line that counts the skips of many steps: others of them succeeded.
    const bool partly = step != kNoStep && static_cast<double>(step - previous) > skipped;
    if (step != kNoStep) previous = step;
    if (skipped > 0) {
      if (!s.first_skip) s.first_skip = i;
      s.last_skip = i;
      s.skipped += skipped;
      if (run == 0) begin = i;
      run = partly ? 0 : run + static_cast<std::size_t>(skipped);
    }
    if (run > s.run) {
      s.run = run;
      s.run_begin = begin;
      s.run_end = i;
    }
    if (skipped > 0) continue;
    // A row of another kind (timers) or a step that was skipped as well says nothing about success.
    if (step == kNoStep) continue;
    const double done = static_cast<double>(step) - (so_far ? table.At(i, *so_far).value_or(0) : 0);
    if (!so_far || done > succeeded) run = 0;
    succeeded = std::max(succeeded, done);
  }
  return s;
}

// Rows of any writer of this log after the last skip, that are not skips themselves.
std::size_t ProgressAfter(const FactView& facts, const Scale& s, std::size_t row) {
  std::size_t own = 0;
  const auto skip_column = FullestColumn(*s.table, Metric::kSkippedSteps);
  for (std::size_t i = row + 1; i < s.table->row_count(); ++i) {
    if (!skip_column || s.table->At(i, *skip_column).value_or(0) == 0) ++own;
  }
  const std::uint64_t end = s.table->row(row).offset + s.table->row(row).length;
  std::size_t other = 0;
  for (const MetricTable& table : facts.tables()) {
    if (&table == s.table || table.source != s.table->source || !table.Find(Metric::kLoss)) continue;
    for (std::size_t i = 0; i < table.row_count(); ++i) other += table.row(i).offset >= end ? 1U : 0U;
  }
  return std::max(own, other);
}

double FloorOfConfig(const FactView& facts) {
  constexpr std::array<std::string_view, 3> kNames{"min_loss_scale", "min_scale", "loss_scale_min"};
  const ConfigValue* value = facts.FirstConfig(kNames);
  return value == nullptr ? 1 : ParseNumber(Trim(value->value)).value_or(1);
}

// The scale halves in each of the last values, below 1 and to the end: every one of those steps was skipped.
bool FallsToTheEnd(const Series& scale) {
  constexpr std::size_t kFalls = 10;
  if (scale.size() <= kFalls || scale.back().value >= 1) return false;
  for (std::size_t i = scale.size() - kFalls; i < scale.size(); ++i) {
    if (scale[i].value > 0.501 * scale[i - 1].value) return false;
  }
  return true;
}

// The log stops while the scale is still sought: from 2^16 to 1 are 16 halvings, and it has not come down to 1.
bool StillCalibrates(const Scale& s) {
  if (s.run > kCalibrationSkips || s.scale.empty() || s.scale.back().value <= 1) return false;
  const std::int64_t step = s.table->row(s.run_end).step;
  return step == kNoStep ? s.run_begin == 0 : step <= kCalibrationSteps;
}

void LookForCollapse(const FactView& facts, const Scale& s, Findings& out) {
  const MetricTable& table = *s.table;
  const auto below_one = std::find_if(s.scale.begin(), s.scale.end(), [](const SeriesPoint& p) { return p.value < 1; });
  if (below_one != s.scale.end()) {
    Finding& finding = Add(
        out, table, below_one->row, "scale-collapse",
        fmt::format("The loss scale fell to {} at {}, below 1.", FormatNumber(below_one->value), PlaceOf(table, below_one->row)));
    finding.survived = !FallsToTheEnd(s.scale) && ProgressAfter(facts, s, s.last_skip.value_or(below_one->row)) >= kCollapseRun;
  }
  const bool goes_on = s.run > 0 && ProgressAfter(facts, s, s.run_end) >= 3;
  if (s.run >= kCollapseRun && StillCalibrates(s)) {
    out.NotChecked("scale-collapse", "the log stops while the loss scale is still sought");
  } else if (s.run >= kCollapseRun && (!goes_on || s.run > kCalibrationSkips)) {
    Finding& finding =
        Add(out, table, s.run_begin, "scale-collapse",
            fmt::format("The loss scaler skipped {} in a row, from {} on.", Plural(s.run, "step"), PlaceOf(table, s.run_begin)));
    finding.cites.push_back(table.Cite(s.run_end));
    finding.survived = goes_on && (below_one == s.scale.end() || finding.survived);
  }
  // Steps that are skipped at one scale that is no higher than the floor.
  const double floor = FloorOfConfig(facts);
  const auto scale_column = FullestColumn(table, Metric::kLossScale);
  std::optional<std::size_t> first;
  std::size_t at_floor = 0;
  for (const SeriesPoint& p : SeriesOf(table, Metric::kSkippedSteps)) {
    if (!(p.value > 0)) continue;
    const auto scale = scale_column && !s.scale.empty() ? table.At(p.row, *scale_column) : std::nullopt;
    if (!scale || *scale > std::max(floor, 1.0) || *scale < 0) continue;
    // The row that reaches the floor is the last one for which a smaller scale could have helped.
    if (at_floor++ == 1) first = p.row;
  }
  if (first) {
    Add(out, table, *first, "scale-at-floor",
        fmt::format("Steps are still skipped at a loss scale of {} ({}).", FormatNumber(*table.At(*first, *scale_column)),
                    Plural(at_floor, "row")));
  }
}

void LookForCalibration(const FactView& facts, const Scale& s, Findings& out) {
  if (!s.first_skip || s.skipped > static_cast<double>(kCalibrationSkips) || out.Has("scale-collapse")) return;
  const MetricTable& table = *s.table;
  const std::size_t last = *s.last_skip;
  std::int64_t step = 0;
  for (std::size_t i = 0; i <= last; ++i) step = std::max(step, table.row(i).step == kNoStep ? 0 : table.row(i).step);
  if (step > kCalibrationSteps || ProgressAfter(facts, s, last) < kCollapseRun) return;
  Add(out, table, *s.first_skip, "scale-startup-skips",
      fmt::format("{} skipped while the loss scale calibrated in the first {} steps; none later.",
                  Plural(static_cast<std::uint64_t>(NearestWhole(s.skipped)), "step"), kCalibrationSteps));
}

void LookForFallWithFlatNorm(const Scale& s, Findings& out) {
  const MetricTable& table = *s.table;
  const auto norm_column = FullestColumn(table, Metric::kGradNorm);
  if (!norm_column) return;
  std::size_t halvings = 0;
  std::size_t from = 0;
  for (std::size_t i = 1; i <= s.scale.size(); ++i) {
    const bool ends = i == s.scale.size() || s.scale[i].value > s.scale[i - 1].value;
    if (!ends && s.scale[i].value < s.scale[i - 1].value && table.row(s.scale[i].row).step > kCalibrationSteps &&
        s.scale[i].value > 0) {
      if (halvings == 0) from = i - 1;
      halvings += static_cast<std::size_t>(NearestWhole(std::log2(s.scale[i - 1].value / s.scale[i].value)));
    }
    if (!ends) continue;
    std::vector<double> norms;
    for (std::size_t row = s.scale[from].row; halvings >= 5 && row <= s.scale[i - 1].row; ++row) {
      const auto norm = table.At(row, *norm_column);
      if (norm && std::isfinite(*norm) && *norm > 0) norms.push_back(*norm);
    }
    if (norms.size() >= 3 && *std::max_element(norms.begin(), norms.end()) <= 2 * *std::min_element(norms.begin(), norms.end())) {
      Finding& finding =
          Add(out, table, s.scale[from].row, "scale-falls-norm-flat",
              fmt::format("The loss scale was halved {} times from {} to {} while the norm stayed between {} and {}.", halvings,
                          PlaceOf(table, s.scale[from].row), PlaceOf(table, s.scale[i - 1].row),
                          FormatNumber(*std::min_element(norms.begin(), norms.end())),
                          FormatNumber(*std::max_element(norms.begin(), norms.end()))));
      finding.cites.push_back(table.Cite(s.scale[i - 1].row));
      return;
    }
    halvings = 0;
  }
}

void LookForSkipsOnly(const Scale& s, Findings& out) {
  const MetricTable& table = *s.table;
  const auto so_far = table.FindName("skipped_so_far");
  for (std::size_t i = table.row_count(); i-- > 0;) {
    const std::int64_t step = table.row(i).step;
    if (step == kNoStep || step <= kCalibrationSteps) continue;
    const double skipped = so_far ? table.At(i, *so_far).value_or(0) : table.row(0).step > kCalibrationSteps ? 0 : s.skipped;
    if (skipped * 2 < static_cast<double>(step)) return;
    Add(out, table, i, "skips-all", fmt::format("{} of {} steps were skipped.", NearestWhole(skipped), step));
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  for (const MetricTable& table : facts.tables()) {
    if (!TellsOfScaler(facts, table)) continue;
    const Scale scale = ReadScale(facts, table);
    LookForCollapse(facts, scale, out);
    LookForCalibration(facts, scale, out);
    if (!scale.scale.empty()) LookForFallWithFlatNorm(scale, out);
    LookForSkipsOnly(scale, out);
  }
}

}  // namespace

extern const Rule loss_scale;
constinit const Rule loss_scale{
    .id = "loss-scale",
    .title = "What the loss scaler did: calibration, collapse, skipped steps",
    .looks_at = "loss scale and skipped steps of every log and metric file",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
