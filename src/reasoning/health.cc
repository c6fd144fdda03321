// SPDX-License-Identifier: Apache-2.0
#include "reasoning/health.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "reasoning/diagnosis.h"
#include "reasoning/run_end.h"

namespace assay {

namespace {

bool BreaksOffBehind(const FactView& facts, const Citation& bar) {
  return std::any_of(facts.anomalies().begin(), facts.anomalies().end(), [&](const Anomaly& anomaly) {
    return anomaly.kind == AnomalyKind::kTruncated && anomaly.cite.source == bar.source && anomaly.cite.begin > bar.end;
  });
}

// The shell of a job script writes into such a file too, whatever became of the program.
bool IsOutputOfJob(const FactView& facts, SourceId source) {
  const std::string_view path = facts.source(source).path;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::string_view extension = name.substr(std::min(name.rfind('.'), name.size()));
  return name.starts_with("slurm") ||
         (extension.size() > 2 && (extension[1] == 'o' || extension[1] == 'e') && IsDigit(extension[2]));
}

// "done", as the last line of a log that has not said it before. A program that says so of each file or checkpoint says it often.
const SignatureHit* LastWord(const FactView& facts) {
  const std::vector<const SignatureHit*> hits = facts.Hits("done-alone");
  for (const SignatureHit* hit : hits) {
    if (hit->origin != Origin::kRunLog || IsOutputOfJob(facts, hit->cite.source)) continue;
    const auto same = [&](const SignatureHit* other) { return other->cite.source == hit->cite.source; };
    if (std::count_if(hits.begin(), hits.end(), same) > 1) continue;
    for (const LogShape& shape : facts.All<LogShape>()) {
      if (shape.source == hit->cite.source && shape.last_line.begin == hit->cite.begin && shape.ends_with_newline) return hit;
    }
  }
  return nullptr;
}

}  // namespace

Health AssessHealth(const FactView& facts, const Findings& /*findings*/, const Extent& extent) {
  Health health;
  const auto sign = [&](std::string text, const Citation& cite) {
    health.signs.push_back(std::move(text));
    health.cites.push_back(cite);
  };
  if (extent.advanced && extent.last) {
    sign(extent.last_step ? fmt::format("Steps advanced to {}.", *extent.last_step) : "Training advanced.", *extent.last);
  }
  const RunEnd end(facts);
  bool ended = false;
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (!AnnouncesEnd(hit) || end.ResultsAt(hit.cite.source).value_or(hit.cite.begin + 1) > hit.cite.begin) continue;
    ended = true;
    sign(fmt::format("The log announces an end: {}.", hit.signature->meaning), hit.cite);
    break;
  }
  const bool plan_missed = !extent.reached_plan && (extent.planned_steps || extent.planned_epochs);
  if (const SignatureHit* word = LastWord(facts); word != nullptr && extent.advanced && !ended && !plan_missed) {
    ended = true;
    sign(fmt::format("The log's last line is \"{}\", said this once.", Printable(Trim(word->quote), 80)), word->cite);
  }
  bool completed = false;
  for (const SchedulerRecord& record : facts.All<SchedulerRecord>()) {
    // Helper steps of a job ("12.extern") complete however the job ends.
    const bool whole_job = record.job.find('.') == std::string::npos;
    const bool good = record.state == "COMPLETED" || record.state == "Succeeded" || record.state == "Completed";
    if (completed || !BelongsToRun(record) || !whole_job || !good) continue;
    completed = true;
    sign(fmt::format("The record of {} says {}.", Printable(record.job, 60), Printable(record.state, 40)), record.cite);
  }
  if (extent.reached_plan && extent.last) {
    sign(extent.planned_steps && extent.last_step && *extent.last_step + 1 >= *extent.planned_steps
             ? fmt::format("The planned {} steps were reached.", *extent.planned_steps)
             : fmt::format("The planned {} epochs were reached.", FormatNumber(extent.planned_epochs.value_or(0))),
         *extent.last);
  }
  // A bar of each epoch is complete at the end of each: it says nothing about the last one. And behind a bar that is complete a
  // log that breaks off in another line shows that there was more.
  const bool whole_bar = extent.bar_complete && extent.training_bars == 1 && extent.last && !BreaksOffBehind(facts, *extent.last);
  if (whole_bar && extent.last) sign("The last progress bar stands at its total.", *extent.last);
  // An end that announces itself is positive without numbers too: "288 epochs completed".
  health.positive = (extent.advanced && (completed || extent.reached_plan || whole_bar)) || ended;
  return health;
}

}  // namespace assay
