// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/whole_number.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"
#include "reasoning/run_settings.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 6> kYields{"result-absent", "ckpt-older-than-log",  "log-stopped",
                                                  "step-axis-off", "selection-mode-wrong", "weights-evaluated-other"};

bool EndedNormally(const FactView& facts) {
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.signature->role == Role::kNormalEnd && AnnouncesEnd(hit)) return true;
  }
  return false;
}

// A result file of zero bytes after a normal end.
void LookForEmptyResults(const FactView& facts, Findings& out) {
  constexpr std::array<std::string_view, 7> kWords{"result",     "predict",    "metrics",    "scores",
                                                   "submission", "evaluation", "generations"};
  constexpr std::array<std::string_view, 6> kExtensions{".json", ".jsonl", ".csv", ".tsv", ".npz", ".txt"};
  if (!EndedNormally(facts)) return;
  for (const RunFile& file : facts.All<RunFile>()) {
    const std::string path = ToLower(facts.source(file.cite.source).path);
    const std::string_view name = std::string_view(path).substr(path.find_last_of('/') + 1);
    const bool result = std::any_of(kWords.begin(), kWords.end(),
                                    [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
    const bool data =
        std::any_of(kExtensions.begin(), kExtensions.end(), [&](std::string_view end) { return name.ends_with(end); });
    if (file.size != 0 || !result || !data) continue;
    out.Add("written-results", "result-absent",
            fmt::format("The run ended normally, and {} is empty.", Printable(facts.source(file.cite.source).path, 120)),
            {file.cite});
  }
}

// Only where the configured interval is the distance of the checkpoints that are there: then name and interval count steps.
void LookForOldCheckpoints(const FactView& facts, Findings& out) {
  constexpr std::array<std::string_view, 5> kIntervals{"save_steps", "checkpointing_steps", "save_interval",
                                                       "checkpoint_interval", "save_every_n_steps"};
  const ConfigValue* configured = facts.FirstConfig(kIntervals);
  const auto interval = configured == nullptr ? std::nullopt : ParseNumber(Trim(configured->value));
  if (!interval || *interval < 10) {
    if (facts.All<CheckpointFile>().empty()) return;
    return out.NotChecked("ckpt-older-than-log", "no configured interval of saving in steps was found");
  }
  std::map<std::string, std::vector<const CheckpointFile*>> groups;
  for (const CheckpointFile& file : facts.All<CheckpointFile>()) {
    if (file.step) groups[file.group].push_back(&file);
  }
  std::int64_t last = 0;
  std::optional<Citation> last_cite;
  for (const MetricTable& table : facts.tables()) {
    for (std::size_t i = 0; i < table.row_count() && !table.step_is_position && table.Find(Metric::kLoss); ++i) {
      if (table.row(i).step == kNoStep || table.row(i).step < last) continue;
      last = table.row(i).step;
      last_cite = table.Cite(i);
    }
  }
  for (auto& [group, files] : groups) {
    std::sort(files.begin(), files.end(), [](const CheckpointFile* a, const CheckpointFile* b) { return *a->step < *b->step; });
    bool regular = files.size() >= 2;
    for (std::size_t i = 1; i < files.size(); ++i)
      regular = regular && *files[i]->step - *files[i - 1]->step == NearestWhole(*interval);
    const std::int64_t newest = *files.back()->step;
    if (!regular || !last_cite || last - newest <= NearestWhole(2 * *interval)) continue;
    out.Add("written-results", "ckpt-older-than-log",
            fmt::format("The newest checkpoint is of step {}, the log goes to step {}, and one is due every {} steps.", newest,
                        last, FormatNumber(*interval)),
            {files.back()->cite, *last_cite, configured->cite});
  }
}

// Other lines follow this row of a log: whoever writes it had not stopped.
bool IsWrittenAfter(const FactView& facts, const Citation& row) {
  return std::any_of(facts.All<LogShape>().begin(), facts.All<LogShape>().end(),
                     [&](const LogShape& shape) { return shape.source == row.source && shape.last_line.begin >= row.end; });
}

// Two sinks of one quantity: equal where both have it, and one ends long before the other.
void LookForStoppedSinks(const FactView& facts, Findings& out) {
  struct Sink {
    const MetricTable* table;
    Series loss;
    std::int64_t first;
    std::int64_t last;
  };
  std::vector<Sink> sinks;
  for (const MetricTable& table : facts.tables()) {
    Series loss = SeriesOf(table, Metric::kLoss);
    if (loss.size() < 10 || table.step_is_position) continue;
    const std::int64_t first = table.row(loss.front().row).step;
    const std::int64_t last = table.row(loss.back().row).step;
    if (first != kNoStep && last != kNoStep) sinks.push_back({&table, std::move(loss), first, last});
  }
  for (const Sink& one : sinks) {
    const std::int64_t interval =
        std::max<std::int64_t>(1, (one.last - one.first) / static_cast<std::int64_t>(one.loss.size() - 1));
    // A second file of the same kind may continue it.
    const bool continued = std::any_of(sinks.begin(), sinks.end(),
                                       [&](const Sink& s) { return s.table->writer == one.table->writer && s.last > one.last; });
    for (const Sink& other : sinks) {
      if (&one == &other || continued || one.table->source == other.table->source || other.last - one.last <= 10 * interval)
        continue;
      std::map<std::int64_t, double> values;
      for (const SeriesPoint& p : other.loss) values[other.table->row(p.row).step] = p.value;
      std::size_t common = 0;
      std::size_t equal = 0;
      for (const SeriesPoint& p : one.loss) {
        const auto found = values.find(one.table->row(p.row).step);
        if (found == values.end()) continue;
        ++common;
        equal += std::abs(found->second - p.value) <= 0.01 * std::abs(p.value) ? 1U : 0U;
      }
      const double from = one.table->row(one.loss.back().row).time;
      const double to = other.table->row(other.loss.back().row).time;
      if (IsWrittenAfter(facts, one.table->Cite(one.loss.back().row))) continue;
      const bool long_after = !std::isfinite(from) || !std::isfinite(to) || to - from > 300;
      if (common < 10 || equal * 10 < common * 9 || !long_after) continue;
      // A file that is cut has lost its end; that says nothing about its writer.
      const auto damaged = [&](const Anomaly& a) {
        return a.cite.source == one.table->source && a.kind != AnomalyKind::kMissing;
      };
      if (std::any_of(facts.anomalies().begin(), facts.anomalies().end(), damaged)) {
        out.NotChecked("log-stopped",
                       fmt::format("{} is cut or damaged at its end", Printable(facts.source(one.table->source).path, 100)));
        continue;
      }
      out.Add(
          "written-results", "log-stopped",
          fmt::format("{} ends at step {}, while {} goes on to step {}.", Printable(facts.source(one.table->source).path, 100),
                      one.last, Printable(facts.source(other.table->source).path, 100), other.last),
          {one.table->Cite(one.loss.back().row), other.table->Cite(other.loss.back().row)});
      return;
    }
  }
}

// Steps that go back again and again, not to the start: two writers share one log.
void LookAtStepAxis(const FactView& facts, Findings& out) {
  for (const MetricTable& table : facts.tables()) {
    if (table.step_is_position || table.row_count() < 20 || !table.Find(Metric::kLoss)) continue;
    const std::int64_t first = table.row(0).step;
    std::int64_t most = first;
    std::int64_t interval = 0;  // the shortest way forward
    bool known = first != kNoStep;
    for (std::size_t i = 1; i < table.row_count() && known; ++i) {
      known = table.row(i).step != kNoStep;
      if (!known) break;
      const std::int64_t d = table.row(i).step - table.row(i - 1).step;
      most = std::max(most, table.row(i).step);
      if (d > 0 && (interval == 0 || d < interval)) interval = d;
    }
    // A loop that counts anew in each epoch goes back to where it began; ranks that write late go back by a step or two.
    std::vector<std::size_t> backward;
    for (std::size_t i = 1; i < table.row_count() && known; ++i) {
      const std::int64_t back = table.row(i - 1).step - table.row(i).step;
      const bool to_start = table.row(i).step - first <= std::max<std::int64_t>(1, (most - first) / 50);
      if (!to_start && back > 0 && back > 5 * std::min(interval, (most - first) / 100)) backward.push_back(i);
    }
    const bool resumed = !facts.HitsFor("resumed-run").empty();
    if (!known || resumed || backward.size() < 3 || 10 * backward.size() < table.row_count()) continue;
    Finding& finding = AddAt(
        out, "written-results", table, backward.front(), "step-axis-off",
        fmt::format(
            "The step goes back {} times in {} rows, the first time from {} to {}, and nothing says that the run was resumed.",
            backward.size(), table.row_count(), table.row(backward.front() - 1).step, table.row(backward.front()).step));
    finding.cites.push_back(table.Cite(backward.back()));
  }
}

enum class Better { kUnknown, kHigher, kLower };
Better DirectionOf(std::string_view name) {
  const std::string lower = ToLower(name);
  const Metric metric = MetricOfName(name);
  if (metric == Metric::kAccuracy || metric == Metric::kEvalAccuracy) return Better::kHigher;
  if (metric == Metric::kLoss || metric == Metric::kEvalLoss || metric == Metric::kPerplexity) return Better::kLower;
  for (const std::string_view word : {"accuracy", "f1", "auc", "miou", "bleu", "rouge"}) {
    if (lower.find(word) != std::string::npos) return Better::kHigher;
  }
  for (const std::string_view word : {"loss", "_error", "rmse", "_wer", "_cer", "perplexity"}) {
    if (lower.find(word) != std::string::npos) return Better::kLower;
  }
  return Better::kUnknown;
}

// "val_accuracy improved from 0.71 to 0.68": what was kept is the worst.
void LookAtSelection(const FactView& facts, Findings& out) {
  std::size_t wrong = 0;
  std::vector<const SignatureHit*> hits;
  for (const SignatureHit* hit : facts.Hits("metric-improved")) {
    const auto from = ParseNumber(hit->Capture("from"));
    const auto to = ParseNumber(hit->Capture("to"));
    const Better better = DirectionOf(hit->Capture("metric"));
    if (!from || !to || better == Better::kUnknown || !std::isfinite(*from)) continue;
    hits.push_back(hit);
    wrong += (better == Better::kHigher) == (*to < *from) ? 1U : 0U;
  }
  if (wrong >= 2 && wrong == hits.size()) {
    const SignatureHit* last = hits.back();
    out.Add("written-results", "selection-mode-wrong",
            fmt::format("\"{}\" is said to improve from {} to {}, {} times in this direction: the worst was kept as the best.",
                        Printable(last->Capture("metric"), 60), last->Capture("from"), last->Capture("to"), wrong),
            {hits.front()->cite, last->cite});
    return;
  }
  // The configured direction against the known one, where at least three evaluations could choose.
  constexpr std::array<std::string_view, 3> kMonitor{"metric_for_best_model", "monitor", "best_metric"};
  constexpr std::array<std::string_view, 3> kMode{"greater_is_better", "mode", "monitor_mode"};
  const ConfigValue* monitor = facts.FirstConfig(kMonitor);
  const ConfigValue* mode = facts.FirstConfig(kMode);
  if (monitor == nullptr || mode == nullptr) return;
  const std::string said = ToLower(Trim(mode->value));
  const Better asked = said == "max" || said == "true"    ? Better::kHigher
                       : said == "min" || said == "false" ? Better::kLower
                                                          : Better::kUnknown;
  const Better right = DirectionOf(monitor->value);
  if (asked == Better::kUnknown || right == Better::kUnknown || asked == right) return;
  for (const MetricTable& table : facts.tables()) {
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      const std::string_view name = table.columns()[c].name;
      if (!name.ends_with(Trim(monitor->value)) || Series(table, c).size() < 3) continue;
      out.Add("written-results", "selection-mode-wrong",
              fmt::format("The best checkpoint is chosen by {}={} with {}={}.", Printable(monitor->key, 60),
                          Printable(monitor->value, 60), Printable(mode->key, 60), Printable(mode->value, 20)),
              {monitor->cite, mode->cite});
      return;
    }
  }
}

// "newly initialized: ['encoder.layer.0.attention…', 'encoder.layer.1…']": not a head, but the body of the model.
void LookAtInitialisedWeights(const FactView& facts, Findings& out) {
  for (const SignatureHit* hit : facts.Hits("weights-newly-initialized")) {
    const std::string_view keys = hit->Capture("keys");
    std::size_t body = 0;
    for (const std::string_view part : Split(keys, ',')) {
      const std::string lower = ToLower(part);
      constexpr std::array<std::string_view, 12> kAdded{"lora",     "adapter",     "prefix", "prompt",
                                                        "head",     "classifier",  "pooler", "position_ids",
                                                        "inv_freq", "masked_bias", "cross",  "quant"};
      const bool added =
          std::any_of(kAdded.begin(), kAdded.end(), [&](std::string_view word) { return lower.find(word) != std::string::npos; });
      bool numbered = false;
      for (const std::string_view word : {"layer.", "layers.", "blocks.", ".h.", "block."}) {
        const std::size_t at = lower.find(word);
        numbered = numbered || (at != std::string::npos && at + word.size() < lower.size() && IsDigit(lower[at + word.size()]));
      }
      body += numbered && !added ? 1U : 0U;
    }
    if (body < 3) continue;
    out.Add("written-results", "weights-evaluated-other",
            fmt::format("Weights of the body of {} were not in the checkpoint and start anew, at least {} of them.",
                        hit->Capture("model").empty() ? "the model" : Printable(hit->Capture("model"), 60), body),
            {hit->cite});
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  LookForEmptyResults(facts, out);
  LookForOldCheckpoints(facts, out);
  LookForStoppedSinks(facts, out);
  LookAtStepAxis(facts, out);
  LookAtSelection(facts, out);
  LookAtInitialisedWeights(facts, out);
}

}  // namespace

extern const Rule written_results;
constinit const Rule written_results{
    .id = "written-results",
    .title = "Whether results, checkpoints and logs were written, whole and of this run",
    .looks_at =
        "result files, checkpoints, metric files against the log, and what the log says about selection and skipped items",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
