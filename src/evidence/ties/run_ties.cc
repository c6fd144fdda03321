// SPDX-License-Identifier: Apache-2.0
#include "evidence/ties/run_ties.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "evidence/codecs/kernel_stamp.h"
#include "platform/file_system.h"

namespace assay {
namespace {

constexpr std::size_t kMaxTies = 4096;

std::string Said(const FactView& facts, const Citation& cite) {
  std::string said = cite.source == kNoSource ? std::string("the run") : Printable(facts.source(cite.source).path);
  if (cite.line != 0) said += ":" + std::to_string(cite.line);
  return said;
}

bool AllDigits(std::string_view text) {
  return !text.empty() && text.size() <= 20 && std::all_of(text.begin(), text.end(), IsDigit);
}

std::string ShortHost(std::string_view host) {
  // A dotted address keeps its dots.
  if (!host.empty() && IsDigit(host.back())) {
    if (std::all_of(host.begin(), host.end(), [](char c) { return IsDigit(c) || c == '.'; })) return std::string(host);
  }
  return ToLower(host.substr(0, host.find('.')));
}

bool LooksLikeHost(std::string_view name) {
  if (name.size() < 2 || name.size() > 128 || name == "localhost" || name == "127.0.0.1" || name == "0.0.0.0") return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return IsIdentifierChar(c) || c == '-' || c == '.'; });
}

class Builder {
 public:
  Builder(const FactView& facts, RunTies& ties) : facts_(facts), ties_(ties) {}

  void Pid(std::string_view text, const Citation& cite) {
    if (AllDigits(text) && text != "0" && text != "1") Add(ties_.pids, std::string(text), cite);
  }
  void Host(std::string_view text, const Citation& cite) {
    if (LooksLikeHost(text)) Add(ties_.hosts, ShortHost(text), cite);
  }
  void Job(std::string_view text, const Citation& cite) {
    if (!text.empty() && text.size() <= 253) Add(ties_.jobs, std::string(text), cite);
  }

 private:
  void Add(std::vector<Tie>& into, std::string value, const Citation& cite) {
    if (into.size() >= kMaxTies || FindTie(into, value) != nullptr) return;
    into.push_back({.value = std::move(value), .said = Said(facts_, cite)});
  }
  const FactView& facts_;
  RunTies& ties_;
};

// Words that name this process and its host in the first or last line of a log: "pid 118432 on host rig-2", "running on ml-srv3
// as".
void FromSentence(std::string_view text, const Citation& cite, Builder& build) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < text.size() && words.size() < 64) {
    while (at < text.size() && !IsIdentifierChar(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && (IsIdentifierChar(text[at]) || ((text[at] == '-' || text[at] == '.') && at > begin))) ++at;
    std::string_view word = text.substr(begin, at - begin);
    while (word.ends_with('.') || word.ends_with('-')) word.remove_suffix(1);
    if (!word.empty()) words.push_back(word);
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (EqualsIgnoreCase(words[i], "pid")) build.Pid(words[i + 1], cite);
    if (EqualsIgnoreCase(words[i], "host") || EqualsIgnoreCase(words[i], "hostname")) build.Host(words[i + 1], cite);
    const bool runs_on =
        words[i] == "on" && i > 0 && (EqualsIgnoreCase(words[i - 1], "running") || EqualsIgnoreCase(words[i - 1], "started"));
    if (runs_on && words[i + 1] != "host") build.Host(words[i + 1], cite);
  }
}

// "123_4" at the start of what names a record or a file of one member of an array; empty where no member is named.
std::string_view MemberOfArray(std::string_view job) {
  const auto digits = [&](std::size_t from) {
    while (from < job.size() && IsDigit(job[from])) ++from;
    return from;
  };
  const std::size_t array = digits(0);
  if (array == 0 || array >= job.size() || job[array] != '_') return {};
  const std::size_t end = digits(array + 1);
  return end == array + 1 ? std::string_view{} : job.substr(0, end);
}

// The run is one member of this record's array, and the record is about another one.
bool IsOtherMember(const RunTies& ties, std::string_view job) {
  const std::string_view member = MemberOfArray(job);
  if (member.empty() || FindTie(ties.jobs, member) != nullptr) return false;
  const std::string_view array = member.substr(0, member.find('_') + 1);
  return std::any_of(ties.jobs.begin(), ties.jobs.end(),
                     [&](const Tie& tie) { return tie.value.starts_with(array) && MemberOfArray(tie.value) == tie.value; });
}

bool IsRunLog(const Source& source) {
  return source.kind == SourceKind::kArtifact && source.format != "dmesg-text" && source.format != "kubectl-describe";
}

// "slurm-123.out", "slurm-123_4.out", "train.o123"; of a pod's log its name.
void FromName(const FactView& facts, SourceId id, Builder& build) {
  const Source& source = facts.source(id);
  const std::string_view name = BaseName(source.path);
  const Citation cite{.source = id};
  if (name.starts_with("slurm-")) {
    std::size_t end = 6;
    while (end < name.size() && IsDigit(name[end])) ++end;
    if (end > 6) build.Job(name.substr(6, end - 6), cite);
    const std::string_view member = MemberOfArray(name.substr(6));
    if (!member.empty()) build.Job(member, cite);
    return;
  }
  const std::string_view extension = Extension(name);
  if (extension.size() > 3 && (extension[1] == 'o' || extension[1] == 'e') && AllDigits(extension.substr(2)))
    build.Job(extension.substr(2), cite);
  // A bare number may be a rank, a seed or a try; whoever means the job says so.
  const std::string_view stem = name.substr(0, name.size() - extension.size());
  if (source.format == "text-log" && !AllDigits(stem)) build.Job(stem, cite);
}

void Widen(std::optional<RunWindow>& window, double first, double last) {
  if (!window) window = RunWindow{first, last};
  window->first = std::min(window->first, first);
  window->last = std::max(window->last, last);
}

void FindWindow(const FactView& facts, RunTies& ties) {
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (shape.source == kNoSource || !IsRunLog(facts.source(shape.source))) continue;
    const double modified = facts.source(shape.source).modified;
    if (!shape.first_time || !shape.last_time || shape.first_time->zoned != shape.last_time->zoned) {
      if (modified > 0) Widen(ties.window, modified, modified);
      continue;
    }
    const double first = std::min(shape.first_time->seconds, shape.last_time->seconds);
    const double last = std::max(shape.first_time->seconds, shape.last_time->seconds);
    if (shape.first_time->zoned) {
      Widen(ties.window, first, last);
    } else {
      Widen(ties.local_window, first, last);
      // The file was last written when its last line was: that places the log's own clock on the world's.
      if (modified > 0) Widen(ties.window, modified - (last - first), modified);
    }
  }
}

bool InWindow(const std::optional<RunWindow>& window, double time, double after) {
  return window && time >= window->first - kKernelTolerance && time <= window->last + after + kKernelTolerance;
}

// A time that is known and outside the run's contradicts; a time or a window that is not known does not.
enum class Fit { kInside, kOutside, kUnknown };
Fit FitOf(const RunTies& ties, const std::optional<Time>& time, double after) {
  if (!time) return Fit::kUnknown;
  const std::optional<RunWindow>& window = time->zoned ? ties.window : ties.local_window;
  if (!window) return Fit::kUnknown;
  return InWindow(window, time->seconds, after) ? Fit::kInside : Fit::kOutside;
}

}  // namespace

const Tie* FindTie(const std::vector<Tie>& ties, std::string_view value) {
  const auto it = std::find_if(ties.begin(), ties.end(), [&](const Tie& tie) { return tie.value == value; });
  return it == ties.end() ? nullptr : &*it;
}

bool HostAgrees(const RunTies& ties, std::string_view host) {
  return ties.hosts.empty() || host.empty() || FindTie(ties.hosts, ShortHost(host)) != nullptr;
}

const Tie* FindCgroupTie(const RunTies& ties, std::string_view path) {
  if (path.size() < 2) return nullptr;  // the root holds everybody
  for (const Tie& tie : ties.cgroups) {
    const bool below = path.starts_with(tie.value) && (path.size() == tie.value.size() || path[tie.value.size()] == '/');
    if (below && tie.value.size() > 1) return &tie;
  }
  for (const std::string_view part : Split(path, '/')) {
    if (!part.starts_with("job_")) continue;
    if (const Tie* job = FindTie(ties.jobs, part.substr(4))) return job;
  }
  return nullptr;
}

std::string_view JobOfRecord(std::string_view job) {
  if (!job.empty() && IsDigit(job[0])) return job.substr(0, job.find_first_of("._+["));
  return job.substr(0, job.find('/'));
}

RunTies DeriveRunTies(const FactView& facts, std::string project) {
  RunTies ties{.project = std::move(project)};
  Builder build(facts, ties);
  for (const LaunchFailure& failure : facts.All<LaunchFailure>()) {
    if (failure.pid) build.Pid(std::to_string(*failure.pid), failure.cite);
    build.Host(failure.host, failure.cite);
  }
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    // What the kernel says of a process does not become the run's own word by standing in its output or in a file taken for it.
    if (hit.origin != Origin::kRunLog || ParseKernelStamp(hit.quote)) continue;
    for (const auto& [name, value] : hit.captures) {
      if (name == "pid") build.Pid(value, hit.cite);
      if (name == "pids") {
        for (const std::string_view pid : Split(value, ',')) build.Pid(Trim(pid), hit.cite);
      }
      if (name == "job") build.Job(value.substr(0, value.find_first_of("._")), hit.cite);
      if (name == "node") build.Host(value, hit.cite);
    }
  }
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (shape.source == kNoSource || !IsRunLog(facts.source(shape.source))) continue;
    FromSentence(shape.first_text, shape.first_line, build);
    if (shape.lines > 1) FromSentence(shape.last_text, shape.last_line, build);
  }
  constexpr std::array<std::string_view, 4> kHostKeys{"host", "hostname", "node_name", "SLURMD_NODENAME"};
  for (const std::string_view key : kHostKeys) {
    for (const ConfigValue* value : facts.Config(key)) {
      if (value->origin == ConfigValue::Origin::kMetadata || value->origin == ConfigValue::Origin::kEnvironment)
        build.Host(value->value, value->cite);
    }
  }
  for (const std::string_view key : {"SLURM_JOB_ID", "SLURM_JOBID", "slurm_job_id"}) {
    for (const ConfigValue* value : facts.Config(key)) build.Job(value->value, value->cite);
  }
  for (const ConfigValue* array : facts.Config("SLURM_ARRAY_JOB_ID")) {
    build.Job(array->value, array->cite);
    for (const ConfigValue* task : facts.Config("SLURM_ARRAY_TASK_ID")) build.Job(array->value + "_" + task->value, task->cite);
  }
  for (const ConfigValue* value : facts.Config("pid")) build.Pid(value->value, value->cite);
  for (std::size_t i = 0; i < facts.sources().size(); ++i) {
    if (facts.sources()[i].kind == SourceKind::kArtifact) FromName(facts, SourceId{static_cast<std::uint32_t>(i)}, build);
  }
  FindWindow(facts, ties);
  return ties;
}

std::string WhyKernelLineBelongs(const SignatureHit& hit, const RunTies& ties, const std::optional<Time>& time,
                                 std::string_view host, bool beside) {
  if (!HostAgrees(ties, host)) return {};
  const Fit near = FitOf(ties, time, kSilence);
  if (near == Fit::kOutside || (near == Fit::kUnknown && !beside)) return {};
  const std::string when = near == Fit::kInside ? ", and its time lies within the run's" : ", and it was saved beside the run";
  const std::string_view pid = hit.Capture("pid");
  if (const Tie* tie = FindTie(ties.pids, pid); tie != nullptr && !pid.empty()) {
    return "process " + std::string(pid) + " of the line is named in " + tie->said + when;
  }
  for (const std::string_view name : {"task_group", "path", "group"}) {
    if (const Tie* tie = FindCgroupTie(ties, hit.Capture(name))) {
      return "the control group of the line is that of " + tie->value + ", which " + tie->said + " names" + when;
    }
  }
  // A line that names a process or a control group speaks of nothing else.
  if (!pid.empty() || !hit.Capture("task_group").empty() || !hit.Capture("group").empty()) return {};
  if (FitOf(ties, time, kHostSilence) != Fit::kInside) return {};
  if (beside) return "the kernel log was saved beside the run, and the line's time lies within the run's";
  const Tie* tie = FindTie(ties.hosts, ShortHost(host));
  return tie == nullptr ? std::string() : "this host is named in " + tie->said + when;
}

namespace {

bool IsJobNumber(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit); }

// "ranker-train-0-9k2xw": words between dashes, the last one being the five letters that Kubernetes draws.
bool LooksLikePod(std::string_view text) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || text.size() - dash != 6) return false;
  return text.substr(dash + 1).find_first_not_of("bcdfghjklmnpqrstvwxz2456789") == std::string_view::npos;
}

// The run's own artifacts name a job of the same kind, and it is not this one.
bool NamesAnotherJob(const RunTies& ties, std::string_view job) {
  const bool number = IsJobNumber(job);
  return std::any_of(ties.jobs.begin(), ties.jobs.end(),
                     [&](const Tie& tie) { return number ? IsJobNumber(tie.value) : LooksLikePod(tie.value); });
}

bool IsDamaged(const FactView& facts, SourceId source) {
  return std::any_of(facts.anomalies().begin(), facts.anomalies().end(),
                     [&](const Anomaly& anomaly) { return anomaly.cite.source == source; });
}

}  // namespace

void TieSavedEvidence(const RunTies& ties, FactStore& facts) {
  const FactView view(facts);
  for (SignatureHit& hit : facts.Mutable<SignatureHit>()) {
    if (hit.cite.source == kNoSource || facts.source(hit.cite.source).kind != SourceKind::kArtifact ||
        !hit.belongs_because.empty())
      continue;
    if (hit.origin == Origin::kKernelLog) {
      const auto stamp = ParseKernelStamp(hit.quote);
      hit.belongs_because = WhyKernelLineBelongs(hit, ties, hit.time, stamp ? stamp->host : std::string_view{}, true);
    } else if (hit.origin == Origin::kScheduler) {
      hit.belongs_because = "it stands in " + Printable(facts.source(hit.cite.source).path) + ", which was saved beside the run";
    }
  }
  // How many jobs each listing speaks of: the only one of a listing beside a run is the run's, unless others may be lost.
  std::map<SourceId, std::vector<std::string>> jobs;
  for (const SchedulerRecord& record : view.All<SchedulerRecord>()) {
    std::vector<std::string>& of_source = jobs[record.cite.source];
    const std::string job(JobOfRecord(record.job));
    if (std::find(of_source.begin(), of_source.end(), job) == of_source.end()) of_source.push_back(job);
  }
  for (SchedulerRecord& record : facts.Mutable<SchedulerRecord>()) {
    if (record.cite.source == kNoSource || !record.belongs_because.empty()) continue;
    const Source& source = facts.source(record.cite.source);
    if (source.kind != SourceKind::kArtifact) continue;
    if (IsOtherMember(ties, record.job)) continue;
    const std::string_view job = JobOfRecord(record.job);
    if (const Tie* tie = FindTie(ties.jobs, job)) {
      record.belongs_because = "job " + std::string(job) + " is named by " + tie->said;
    } else if (jobs[record.cite.source].size() == 1 && !NamesAnotherJob(ties, job) && !IsDamaged(view, record.cite.source)) {
      record.belongs_because = "it is the only job of " + Printable(source.path) + ", which was saved beside the run";
    }
  }
}

}  // namespace assay
