// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_identity.h"
#include "reasoning/run_settings.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"fresh-run", "resume-jump", "ckpt-step-mismatch"};

// Where a row stands on the axis that its writer prints: the step, else the epoch.
std::optional<double> Axis(const MetricTable& table, std::size_t row) {
  const MetricRow& r = table.row(row);
  if (r.step != kNoStep && !table.step_is_position) return static_cast<double>(r.step);
  if (!std::isnan(r.epoch)) return r.epoch;
  return std::nullopt;
}

struct Seam {
  std::size_t row;              // first row after the resume
  const SignatureHit* said_by;  // the line that says so; nullptr where only the steps go back
};

// Steps that go back at this row and stay back. One row out of its place, of a late writer or a damaged digit, is no resume.
bool StepsGoBack(const MetricTable& table, std::size_t i) {
  if (i == 0 || table.row(i).attempt == table.row(i - 1).attempt) return false;
  return i + 1 < table.row_count() && table.row(i + 1).step <= table.row(i - 1).step;
}

std::vector<Seam> SeamsOf(const FactView& facts, const MetricTable& table) {
  std::vector<Seam> seams;
  const std::vector<const SignatureHit*> hits = facts.HitsFor("resumed-run");
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    const std::uint64_t from = i == 0 ? 0 : table.row(i - 1).offset;
    const SignatureHit* said = nullptr;
    for (const SignatureHit* hit : hits) {
      if (hit->cite.source == table.source && hit->cite.begin >= from && hit->cite.begin < table.row(i).offset) said = hit;
    }
    // A log that is not the one in which the resume was announced continues it from its first row on.
    if (said != nullptr || (!hits.empty() && StepsGoBack(table, i))) seams.push_back({i, said});
  }
  return seams;
}

struct Reference {
  const MetricTable* table = nullptr;
  Series rate;                  // with their rows in that table
  std::optional<double> until;  // on the axis; only what it wrote up to there counts
  std::string name;             // "" for this run's own earlier rows

  bool Counts(const SeriesPoint& point) const {
    if (!until) return true;
    const auto axis = Axis(*table, point.row);
    return axis && *axis <= *until;
  }
  bool Suffices() const {
    std::size_t count = 0;
    for (const SeriesPoint& p : rate) {
      if (Counts(p) && ++count == 3) return true;
    }
    return false;
  }
};

// The rate that the reference had at this place, and how far it moved around it.
struct Expected {
  double rate;
  double wobble;
  std::size_t row;
};
std::optional<Expected> RateAt(const Reference& reference, double place) {
  std::optional<Expected> best;
  bool best_is_last = false;  // its wobble lacks the next point
  double nearest = 0;
  double spacing = 0;
  std::optional<SeriesPoint> last;
  for (const SeriesPoint& p : reference.rate) {
    if (!reference.Counts(p)) continue;
    const double move = last ? std::abs(p.value - last->value) : 0;
    if (best_is_last) best->wobble = std::max(best->wobble, move);
    best_is_last = false;
    const auto before = last ? Axis(*reference.table, last->row) : std::nullopt;
    last = p;
    const auto axis = Axis(*reference.table, p.row);
    if (!axis || !std::isfinite(p.value)) continue;
    if (before) spacing = std::max(spacing, std::abs(*axis - *before));
    const double distance = std::abs(*axis - place);
    if (best && !(distance < nearest)) continue;
    best = Expected{p.value, move, p.row};
    best_is_last = true;
    nearest = distance;
  }
  if (best && nearest > spacing * 1.5) return std::nullopt;
  return best;
}

void CompareRate(const MetricTable& table, const Seam& seam, const std::vector<Reference>& references, Findings& out) {
  const Series after = SeriesOf(table, Metric::kLearningRate).From(seam.row);
  if (after.empty()) return;
  const auto place = Axis(table, after.front().row);
  if (!place) return;
  for (const Reference& reference : references) {
    const auto expected = RateAt(reference, *place);
    if (!expected) continue;
    const double off = std::abs(after.front().value - expected->rate);
    const double larger = std::max(std::abs(expected->rate), std::abs(after.front().value));
    if (off <= 0.1 * larger || off <= 3 * expected->wobble) return;  // the first reference that can tell decides
    std::vector<Citation> cites{table.Cite(after.front().row), reference.table->Cite(expected->row)};
    if (seam.said_by != nullptr) cites.push_back(seam.said_by->cite);
    Finding& finding = out.Add("resume-continuity", "resume-jump",
                               fmt::format("After the resume the learning rate is {} at {}, where {} had {}.",
                                           FormatNumber(after.front().value), PlaceOf(table, after.front().row),
                                           reference.name.empty() ? "the run before" : "run " + Printable(reference.name, 60),
                                           FormatNumber(expected->rate)),
                               std::move(cites));
    if (table.row(after.front().row).step != kNoStep) finding.step = table.row(after.front().row).step;
    return;
  }
}

// Without anything to compare with: the rate starts a warm-up again in the middle of the plan.
void LookForSecondWarmUp(const FactView& facts, const MetricTable& table, const Seam& seam, Findings& out) {
  if (out.Has("resume-jump") || seam.said_by == nullptr) return;
  const Series after = SeriesOf(table, Metric::kLearningRate).From(seam.row);
  const auto planned_steps = PlannedSteps(table, facts);
  const bool by_step = !after.empty() && table.row(after.front().row).step != kNoStep && !table.step_is_position;
  const double planned = by_step ? planned_steps.value_or(0) : table.planned_epochs;
  const auto place = after.empty() ? std::nullopt : Axis(table, after.front().row);
  if (after.size() < 5 || !place || planned <= 0 || *place < 0.15 * planned) return;
  std::size_t rising = 1;
  while (rising < after.size() && after[rising].value > after[rising - 1].value) ++rising;
  if (rising < 4 || after.front().value > 0.1 * after[rising - 1].value) return;
  Finding& finding = AddAt(
      out, "resume-continuity", table, after.front().row, "resume-jump",
      fmt::format("After the resume at {} of {} planned the learning rate starts at {} and rises to {}: the warm-up began again.",
                  PlaceOf(table, after.front().row), FormatNumber(planned), FormatNumber(after.front().value),
                  FormatNumber(after[rising - 1].value)));
  finding.cites.push_back(seam.said_by->cite);
  finding.cites.push_back(table.Cite(after[rising - 1].row));
}

// Another log of this run by the same writer: the attempt that was resumed may have written a file of its own.
bool IsEarlierLog(const MetricTable& other, const MetricTable& table) {
  return other.source != table.source && other.writer == table.writer && other.rank == table.rank;
}

void CompareLoss(const FactView& facts, const MetricTable& table, const Seam& seam, Findings& out) {
  constexpr std::size_t kLast = 50;
  std::deque<double> before;  // the last ones
  const auto add_before = [&](double value) {
    before.push_back(value);
    if (before.size() > kLast) before.pop_front();
  };
  std::vector<double> after;
  std::optional<std::size_t> first;
  const auto place = Axis(table, seam.row);
  for (const SeriesPoint& p : SeriesOf(table, Metric::kLoss)) {
    const auto axis = Axis(table, p.row);
    if (!std::isfinite(p.value) || !axis || !place) continue;
    if (p.row < seam.row && *axis <= *place) add_before(p.value);
    if (p.row >= seam.row && after.size() < 3) {
      if (!first) first = p.row;
      after.push_back(p.value);
    }
  }
  if (seam.row == 0 && place) {
    for (const MetricTable& other : facts.tables()) {
      if (!IsEarlierLog(other, table)) continue;
      for (const SeriesPoint& p : SeriesOf(other, Metric::kLoss)) {
        const auto axis = Axis(other, p.row);
        if (std::isfinite(p.value) && axis && *axis <= *place) add_before(p.value);
      }
    }
  }
  if (before.size() < 10 || after.size() < 2) return;
  const double median = Median({before.begin(), before.end()});
  const double band = 6 * 1.4826 * MedianAbsoluteDeviation({before.begin(), before.end()});
  const double now = Median(after);
  if (now <= median + band || now <= 1.2 * median || median <= 0) return;
  Finding& finding = AddAt(out, "resume-continuity", table, *first, "resume-jump",
                           fmt::format("After the resume the loss is {} at {}; the median of the {} values before was {}.",
                                       FormatNumber(now), PlaceOf(table, *first), before.size(), FormatNumber(median)));
  if (seam.said_by != nullptr) finding.cites.push_back(seam.said_by->cite);
}

std::vector<Reference> ReferencesFor(const FactView& facts, const MetricTable& table, const Seam& seam) {
  std::vector<Reference> references;
  Reference own{.table = &table, .rate = SeriesOf(table, Metric::kLearningRate).Before(seam.row)};
  if (own.Suffices()) references.push_back(std::move(own));
  const auto earlier = Axis(table, seam.row);
  for (const MetricTable& other : facts.tables()) {
    if (seam.row != 0 || !earlier || !IsEarlierLog(other, table)) continue;
    Reference reference{.table = &other, .rate = SeriesOf(other, Metric::kLearningRate), .until = earlier};
    if (reference.Suffices()) references.push_back(std::move(reference));
  }
  const auto add = [&](const MetricTable& other, std::string name) {
    if (&other == &table || other.writer != table.writer) return;
    Reference reference{.table = &other, .rate = SeriesOf(other, Metric::kLearningRate), .name = std::move(name)};
    if (reference.Suffices()) references.push_back(std::move(reference));
  };
  for (const auto& sibling : facts.siblings()) {
    const FactView other(sibling->facts);
    if (!Compare(facts, other).comparable || !other.HitsFor("resumed-run").empty()) continue;
    for (const MetricTable& t : other.tables()) add(t, sibling->id);
  }
  return references;
}

// The step that a checkpoint's path names: "checkpoint-500", "iter_0000500", "global_step500". Epochs are another unit.
std::optional<std::int64_t> StepOfPath(std::string_view path) {
  for (const std::string_view word : {"checkpoint-", "global_step", "iter_", "step_", "step-", "step="}) {
    const std::size_t at = path.rfind(word);
    if (at == std::string_view::npos) continue;
    std::size_t end = at + word.size();
    while (end < path.size() && IsDigit(path[end])) ++end;
    if (end > at + word.size()) return ParseInteger(path.substr(at + word.size(), end - at - word.size()));
  }
  return std::nullopt;
}

void CompareStep(const MetricTable& table, const Seam& seam, Findings& out) {
  if (seam.said_by == nullptr || table.step_is_position || seam.row + 1 >= table.row_count()) return;
  const std::optional<std::int64_t> named = StepOfPath(seam.said_by->quote);
  const std::int64_t first = table.row(seam.row).step;
  if (!named || first == kNoStep || table.row(seam.row + 1).step <= first) return;
  const std::int64_t interval = table.row(seam.row + 1).step - first;
  // A count that starts again at 0 is the loop's own; one that goes on somewhere else is another state.
  const bool from_zero = first <= 2 * interval;
  const std::int64_t slack = std::max(2 * interval, *named / 20);
  if (from_zero || std::abs(first - *named) <= slack) return;
  Finding& finding = AddAt(out, "resume-continuity", table, seam.row, "ckpt-step-mismatch",
                           fmt::format("The checkpoint is named after step {}, and the run goes on at step {}.", *named, first));
  finding.cites.push_back(seam.said_by->cite);
}

void LookForFreshStart(const FactView& facts, Findings& out) {
  if (!facts.HitsFor("resumed-run").empty()) return;
  constexpr std::array<std::string_view, 7> kResume{
      "resume", "resume_from_checkpoint", "resume_from", "load_checkpoint", "ckpt_path", "resume_path", "load"};
  const ConfigValue* resume = facts.FirstConfig(kResume);
  if (resume != nullptr && !SaysNo(resume->value)) {
    return out.NotChecked("fresh-run",
                          "the configuration names a checkpoint to resume from, and the log does not say whether it was loaded");
  }
  for (const MetricTable& table : facts.tables()) {
    if (table.row_count() == 0 || !(table.Find(Metric::kLoss) || table.Find(Metric::kGradNorm))) continue;
    const MetricRow& row = table.row(0);
    const bool first_step =
        row.step != kNoStep && row.step <= 1 && !table.step_is_position && (std::isnan(row.epoch) || row.epoch <= 1);
    const bool first_epoch = row.step == kNoStep && (row.epoch == 0 || row.epoch == 1);
    if (!first_step && !first_epoch) continue;
    AddAt(out, "resume-continuity", table, 0, "fresh-run",
          fmt::format("The first values are those of {}, and nothing says that the run was resumed.", PlaceOf(table, 0)));
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  for (const MetricTable& table : facts.tables()) {
    for (const Seam& seam : SeamsOf(facts, table)) {
      CompareRate(table, seam, ReferencesFor(facts, table, seam), out);
      LookForSecondWarmUp(facts, table, seam, out);
      CompareLoss(facts, table, seam, out);
      CompareStep(table, seam, out);
    }
  }
  LookForFreshStart(facts, out);
}

}  // namespace

extern const Rule resume_continuity;
constinit const Rule resume_continuity{
    .id = "resume-continuity",
    .title = "Whether a resumed run goes on where it stopped",
    .looks_at = "learning rate, loss and step around a resume, in this run and against an uninterrupted one",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
