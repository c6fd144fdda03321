// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "evidence/listings/slurm_records.h"
#include "evidence/probes/probe.h"

// Captured: what sacct and scontrol print of the jobs that the run names. A job id alone is not enough, another cluster counts
// from 1 too: where both sides tell their time, the job's must meet the run's.

namespace assay::probes {
namespace {

constexpr std::string_view kWhat = "the scheduler's record";
constexpr std::size_t kMaxJobs = 4;

bool IsSlurmId(std::string_view text) {
  return !text.empty() && text.size() <= 10 && std::all_of(text.begin(), text.end(), IsDigit);
}

void Collect(const ProbeContext& context, ProbeOutput& output) {
  std::vector<std::string> jobs;
  for (const Tie& tie : context.ties.jobs) {
    if (IsSlurmId(tie.value) && jobs.size() < kMaxJobs) jobs.push_back(tie.value);
  }
  if (!context.is_this_machine) return;
  if (jobs.empty()) return output.NotChecked(kWhat, "the run names no job id");
  std::string list;
  for (const std::string& job : jobs) list += (list.empty() ? "" : ",") + job;
  output.Looking("sacct");
  const auto accounting = RunCommand(
      {"sacct", "-D", "-P", "-j", list, "--format=JobID,State,ExitCode,Start,End,Elapsed,Timelimit,NodeList,MaxRSS,ReqMem"},
      kCommandDeadline, 1 << 20);
  std::string why;
  if (!accounting.has_value()) {
    why = "there is no sacct on this machine";
  } else if (accounting->timed_out) {
    why = "sacct did not answer";
  } else if (accounting->exit_status != 0) {
    const std::string_view errors = Trim(accounting->errors);
    const std::string_view first = Trim(errors.substr(0, errors.find('\n')));
    why = first.empty() ? std::string("sacct failed without a word") : Printable(first, 200);
  } else {
    output.Text(accounting->output);
  }
  // scontrol knows a job for some minutes after its end, and without accounting.
  bool told = why.empty() && std::count(accounting->output.begin(), accounting->output.end(), '\n') > 1;
  for (const std::string& job : jobs) {
    output.Looking("scontrol");
    const auto shown = RunCommand({"scontrol", "show", "job", job}, kCommandDeadline / 4, 1 << 20);
    if (!shown.has_value() || shown->exit_status != 0 || shown->output.empty()) continue;
    output.Text(shown->output);
    told = true;
  }
  if (!told) output.NotChecked(kWhat, why.empty() ? "Slurm does not know job " + list + " (any more)" : why);
}

// Whether the job's time, as far as it is known, meets the run's.
bool TimeFits(const FactStore& facts, SourceId source, const SchedulerRecord& record, const RunTies& ties) {
  for (const Reading& reading : FactView(facts).All<Reading>()) {
    if (reading.cite.source != source || !reading.time || !reading.name.starts_with("scheduler." + record.job + ".") ||
        !(reading.cite == record.cite))
      continue;
    const std::optional<RunWindow>& window = reading.time->zoned ? ties.window : ties.local_window;
    if (!window) continue;
    constexpr double kSlack = 60;  // between two hosts' clocks, and what a job does before and after its log
    if (reading.name.ends_with(".start") && reading.value > window->last + kSlack) return false;
    if (reading.name.ends_with(".end") && reading.value < window->first - kSlack) return false;
  }
  return true;
}

void Interpret(const CapturedText& captured, const RunTies& ties, FactStore& facts) {
  ListingContext context{.facts = facts};
  SlurmRecords records;
  std::size_t at = 0;
  std::uint64_t number = 0;
  while (at < captured.text.size()) {
    const std::size_t end = std::min(captured.text.find('\n', at), captured.text.size());
    records.Take({.text = captured.text.substr(at, end - at),
                  .cite = {.source = captured.source, .begin = at, .end = end, .line = ++number}},
                 context);
    at = end + 1;
  }
  records.Finish(context);
  for (SchedulerRecord& record : facts.Mutable<SchedulerRecord>()) {
    if (record.cite.source != captured.source) continue;
    const Tie* tie = FindTie(ties.jobs, JobOfRecord(record.job));
    if (tie == nullptr || !TimeFits(facts, captured.source, record, ties)) continue;
    record.belongs_because = "job " + tie->value + " is named by " + tie->said;
  }
  for (Reading& reading : facts.Mutable<Reading>()) {
    if (reading.cite.source == captured.source) reading.live = true;
  }
}

}  // namespace

extern const Probe scheduler;
constinit const Probe scheduler{
    .id = "scheduler",
    .title = "The scheduler's record of the run's job",
    .reads = "sacct, scontrol",
    .cost = "a tenth of a second; the scheduler is asked once for each job",
    .privileges = "the job's own user, where the cluster hides other users' jobs",
    .collect = Collect,
    .interpret = Interpret,
};

}  // namespace assay::probes
