// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/text.h"
#include "reasoning/job_records.h"
#include "reasoning/own_ids.h"
#include "reasoning/run_end.h"
#include "reasoning/run_window.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 5> kYields{"host-oom", "sched-oom", "oom-kill-near", "host-mem-near-limit",
                                                  "limit-below-need"};

constexpr double kNearLimit = 0.9;
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

// "1234.batch" and "1234.0" are steps of job "1234"; "pod/container" is of "pod".
std::string_view WholeJob(std::string_view job) {
  return IsDigit(job.empty() ? ' ' : job.front()) ? job.substr(0, job.find('.')) : job.substr(0, job.find('/'));
}

// What is killed raises nothing: a run that ends in an exception of its own, which speaks of no memory, was not killed.
bool EndedByItself(const FactView& facts, const RunEnd& end) {
  if (end.first() == nullptr || KindOf(*end.first()) != ExceptionKind::kOwn) return false;
  for (const std::string_view finding : {"host-oom", "shm-error", "device-oom"}) {
    for (const SignatureHit* hit : facts.HitsFor(finding)) {
      if (end.InFirst(hit->cite)) return false;
    }
  }
  return true;
}

std::string Because(const FactView& facts, const SchedulerRecord& record) {
  if (std::string because = OwnJobBecause(facts, record.job); !because.empty()) return because;
  // A record that only lies beside a run that finished or failed otherwise is somebody else's, or says nothing of this end.
  const RunEnd end(facts);
  if (!BelongsToRun(record) || end.TrainingFinished() || EndedByItself(facts, end)) return {};
  // A listing of several jobs that was saved beside the run belongs to it, and not each job in it.
  std::set<std::string_view> jobs;
  for (const SchedulerRecord& other : facts.All<SchedulerRecord>()) jobs.insert(WholeJob(other.job));
  return jobs.size() == 1 ? record.belongs_because : std::string();
}

bool SaysOutOfMemory(const SchedulerRecord& record) {
  const std::string state = ToLower(record.state);
  return state.starts_with("out_of_me") || state == "oomkilled" || (record.exit_code == 0 && record.signal == 125);
}

// Another container of the same pod ended badly too, or the run's log is named after another one: which of them is the run is not
// told.
bool IsOtherContainer(const FactView& facts, std::string_view job) {
  const std::size_t slash = job.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view own = job.substr(slash + 1);
  std::vector<std::string_view> others;
  for (const SchedulerRecord& record : facts.All<SchedulerRecord>()) {
    const std::string_view other = record.job;
    if (!other.starts_with(job.substr(0, slash + 1)) || other == job) continue;
    if (record.exit_code.value_or(0) != 0) return true;
    others.push_back(other.substr(slash + 1));
  }
  for (const LogShape& shape : facts.All<LogShape>()) {
    const std::string_view path = facts.source(shape.source).path;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto named = [&](std::string_view container) { return name.find(container) != std::string_view::npos; };
    if (!named(own) && std::any_of(others.begin(), others.end(), named)) return true;
  }
  return false;
}

// The end of an earlier attempt under the same name is not this run's.
bool EndedBefore(const FactView& facts, const SchedulerRecord& record) {
  const std::optional<Time> end = EndOf(facts, record);
  if (!end) return false;
  bool known = false;
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (!shape.first_time || shape.first_time->zoned != end->zoned) continue;
    if (end->seconds >= shape.first_time->seconds) return false;
    known = true;
  }
  return known;
}

bool IsNamed(const FactView& facts, const SchedulerRecord& record) { return !OwnJobBecause(facts, record.job).empty(); }

// A second tie beside the place: both end at one time.
bool EndsWithLog(const FactView& facts, const SchedulerRecord& record) {
  constexpr double kSameEnd = 120;  // seconds
  const std::optional<Time> end = EndOf(facts, record);
  const LogWindow window = WindowOfRun(facts);
  return end && window.last && window.last->zoned == end->zoned && std::abs(window.last->seconds - end->seconds) <= kSameEnd;
}

std::string Sentence(std::string_view meaning) {
  std::string text(meaning);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

void LookAtRecords(const FactView& facts, Findings& out) {
  for (const SchedulerRecord& record : facts.All<SchedulerRecord>()) {
    const bool killed = SaysOutOfMemory(record);
    const bool near = record.peak_memory && record.requested_memory && *record.requested_memory > 0 &&
                      *record.peak_memory >= kNearLimit * *record.requested_memory;
    if (!killed && !near) continue;
    const std::string because = Because(facts, record);
    if (because.empty() || (killed && IsOtherContainer(facts, record.job))) {
      out.NotChecked(killed ? "sched-oom" : "host-mem-near-limit",
                     fmt::format("nothing ties the record of {} to this run", Printable(record.job, 80)));
      continue;
    }
    const bool history = WentOnWell(facts, record) || EndedAgain(facts, record);
    if (EndedBefore(facts, record) || (killed && history && !LogEndsBy(facts, record))) continue;
    if (killed && !IsNamed(facts, record) && !EndsWithLog(facts, record)) {
      out.Add("job-memory", "oom-kill-near",
              fmt::format("The scheduler recorded {} for {}, and only its place ties that to the run: {}.",
                          Printable(record.state, 40), Printable(record.job, 80), because),
              {record.cite});
    } else if (killed) {
      out.Add(
          "job-memory", "sched-oom",
          fmt::format(
              "The scheduler recorded {} for {}{}; it is this run's: {}.", Printable(record.state, 40), Printable(record.job, 80),
              record.requested_memory ? fmt::format(", whose limit was {}", FormatBytes(*record.requested_memory)) : "", because),
          {record.cite});
    }
    if (near) {
      out.Add("job-memory", "host-mem-near-limit",
              fmt::format("{} reached {} of its limit of {}.", Printable(record.job, 80), FormatBytes(*record.peak_memory),
                          FormatBytes(*record.requested_memory)),
              {record.cite});
    }
  }
}

// What schedulers and container platforms print about a kill for memory. In the run's own log it is about the run; in the log of
// a node or a listing of pods it may be about anybody.
void LookAtLines(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  static constexpr std::array<std::string_view, 5> kLines{"slurm-oom-kill", "slurm-memory-limit-kill", "srun-task-oom",
                                                          "lsf-pbs-memory", "pod-oom-killed"};
  for (const std::string_view id : kLines) {
    for (const SignatureHit* hit : facts.Hits(id)) {
      if (hit->origin != Origin::kRunLog || end.Of(*hit) != Standing::kEnd) continue;
      const std::string_view job = hit->Capture("job");
      const bool listed = id == "pod-oom-killed" && !job.empty();
      const bool own = !listed && IsRunsOwnLog(facts, hit->cite.source);
      if (!own && OwnJobBecause(facts, job).empty()) {
        out.NotChecked("sched-oom", fmt::format("nothing ties this line to the run: {}", Printable(hit->quote, 120)));
        continue;
      }
      Finding& finding = out.Add(
          "job-memory", "sched-oom",
          fmt::format("{}{}.", Sentence(hit->signature->meaning), job.empty() ? "" : fmt::format(" ({})", Printable(job, 80))),
          {hit->cite});
      if (!finding.time) finding.time = hit->time;
    }
  }
}

// A node that runs short evicts what uses most, whatever its limit.
void LookAtEvictions(const FactView& facts, Findings& out) {
  for (const SchedulerRecord& record : facts.All<SchedulerRecord>()) {
    const bool evicted =
        EqualsIgnoreCase(record.state, "Evicted") && ContainsIgnoreCase(record.reason, "low on resource: memory");
    if (!evicted || EndedBefore(facts, record)) continue;
    const std::string because = Because(facts, record);
    if (because.empty()) continue;
    out.Add("job-memory", "host-oom",
            fmt::format("{} was evicted because its node ran short of memory; it is this run's: {}.", Printable(record.job, 80),
                        because),
            {record.cite});
  }
}

// Slurm says that the limit was met at some moment. Page cache counts into that, so it is no kill.
void LookAtTouchedLimit(const FactView& facts, Findings& out) {
  for (const SignatureHit* hit : facts.Hits("slurm-memory-limit-touched")) {
    if (hit->origin != Origin::kRunLog) continue;
    out.Add("job-memory", "host-mem-near-limit",
            "Slurm reports that the job's memory reached its limit at some moment, page cache counted.", {hit->cite});
  }
}

void LookAtCgroup(const FactView& facts, Findings& out) {
  for (const Reading& peak : facts.All<Reading>()) {
    if (peak.name != "cgroup.memory.peak" || !BelongsToRun(peak)) continue;
    for (const Reading& most : facts.All<Reading>()) {
      if (most.name != "cgroup.memory.max" || most.text != peak.text || !BelongsToRun(most) || !std::isfinite(most.value))
        continue;
      if (most.value <= 0 || peak.value < kNearLimit * most.value) continue;
      out.Add("job-memory", "host-mem-near-limit",
              fmt::format("The run's cgroup reached {} of its limit of {}.", FormatBytes(peak.value), FormatBytes(most.value)),
              {peak.cite, most.cite});
    }
  }
}

struct Limit {
  double bytes = 0;
  std::string said;
  Citation cite;
};

const ConfigValue* Job(const FactView& facts, std::string_view name) {
  for (const ConfigValue* value : facts.Config(name)) {
    if (value->origin == ConfigValue::Origin::kJobScript && value->key.starts_with("SBATCH")) return value;
  }
  return nullptr;
}
double Count(const FactView& facts, std::string_view name, double otherwise) {
  const ConfigValue* value = Job(facts, name);
  const auto number = value == nullptr ? std::nullopt : ParseNumberPrefix(Trim(value->value));
  return number && number->value > 0 ? number->value : otherwise;
}
// Slurm counts a bare number in MiB.
std::optional<double> SlurmMemory(const ConfigValue& value) {
  const std::string_view text = Trim(value.value);
  if (const auto bare = ParseInteger(text))
    return *bare > 0 ? std::optional(static_cast<double>(*bare) * kGiB / 1024) : std::nullopt;
  return ParseByteSize(text);
}

// What the job was granted on one host. Memory per GPU is host memory too.
std::optional<Limit> LimitOfRun(const FactView& facts) {
  for (const SchedulerRecord& record : facts.All<SchedulerRecord>()) {
    if (record.requested_memory && !Because(facts, record).empty()) {
      return Limit{*record.requested_memory, fmt::format("the record of {}", Printable(record.job, 80)), record.cite};
    }
  }
  const double tasks = Count(facts, "ntasks-per-node", 1);
  if (const ConfigValue* value = Job(facts, "mem")) {
    if (const auto bytes = SlurmMemory(*value)) return Limit{*bytes, "--mem", value->cite};
  }
  if (const ConfigValue* value = Job(facts, "mem-per-cpu")) {
    const double cpus = Count(facts, "cpus-per-task", 1) * tasks;
    if (const auto bytes = SlurmMemory(*value))
      return Limit{*bytes * cpus, fmt::format("--mem-per-cpu times {:.0f} CPUs", cpus), value->cite};
  }
  if (const ConfigValue* value = Job(facts, "mem-per-gpu")) {
    const double gpus = Count(facts, "gpus-per-node", Count(facts, "gpus-per-task", 1) * tasks);
    if (const auto bytes = SlurmMemory(*value)) {
      return Limit{*bytes * gpus, fmt::format("--mem-per-gpu times {:.0f} GPUs, which is host memory", gpus), value->cite};
    }
  }
  return std::nullopt;
}

void LookAtNeed(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  const SignatureHit* largest = nullptr;
  double asked = 0;
  for (const SignatureHit* hit : facts.HitsFor("host-oom")) {
    const auto size = ParseByteSize(hit->Capture("asked_size"));
    if (hit->origin != Origin::kRunLog || !size || *size <= asked || end.Of(*hit) != Standing::kEnd) continue;
    largest = hit;
    asked = *size;
  }
  if (largest == nullptr) return;
  const auto limit = LimitOfRun(facts);
  if (!limit) {
    out.NotChecked("limit-below-need", "the memory limit of the run is not known");
    return;
  }
  if (asked <= limit->bytes) return;
  out.Add("job-memory", "limit-below-need",
          fmt::format("One request asked for {} of host memory, and the job was granted {} ({}).", FormatBytes(asked),
                      FormatBytes(limit->bytes), limit->said),
          {largest->cite, limit->cite});
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtLines(facts, out);
  LookAtRecords(facts, out);
  LookAtEvictions(facts, out);
  LookAtTouchedLimit(facts, out);
  LookAtCgroup(facts, out);
  LookAtNeed(facts, out);
}

}  // namespace

extern const Rule job_memory;
constinit const Rule job_memory{
    .id = "job-memory",
    .title = "What the scheduler granted, what it recorded, and whether memory passed the limit",
    .looks_at = "records of jobs and pods, memory requests of the job script, refused host allocations",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
