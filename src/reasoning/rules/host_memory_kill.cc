// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.h"
#include "base/whole_number.h"
#include "reasoning/own_ids.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"
#include "reasoning/run_window.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 6> kYields{"oom-kill-own",    "oom-kill-cgroup", "global-oom",
                                                  "own-share-large", "neighbour-large", "oom-kill-near"};

constexpr double kPage = 4096;
constexpr double kShare = 0.5;      // of the host's memory
constexpr double kClock = 5;        // seconds that two clocks may differ
constexpr double kNear = 60;        // seconds between the last line of a log and the kill that ended it
constexpr double kAfterLog = 3600;  // a process that prints rarely may live on so long after its last line

// Everything that the kernel said about one victim.
struct Kill {
  std::int64_t pid = 0;
  std::string command;
  std::string group;  // cgroup whose limit was reached; empty: not said
  bool global = false;
  bool inside_limit = false;
  bool live = false;    // read from the kernel of this machine just now
  double resident = 0;  // bytes: anonymous and shared pages
  std::optional<Time> time;
  std::string because;
  std::vector<Citation> cites;
};

std::vector<Kill> Kills(const FactView& facts) {
  static constexpr std::array<std::string_view, 5> kLines{"kernel-oom-global", "kernel-oom-memcg", "kernel-killed-process",
                                                          "kernel-oom-constraint-global", "kernel-oom-constraint-memcg"};
  std::map<std::pair<SourceId, std::int64_t>, Kill> by_victim;
  for (const std::string_view id : kLines) {
    for (const SignatureHit* hit : facts.Hits(id)) {
      const auto pid = ParseInteger(hit->Capture("pid"));
      if (!pid) continue;
      Kill& kill = by_victim[{hit->cite.source, *pid}];
      kill.pid = *pid;
      if (kill.command.empty()) kill.command = hit->Capture("command");
      kill.live = facts.source(hit->cite.source).kind == SourceKind::kReading;
      kill.global = kill.global || id.ends_with("global");
      kill.inside_limit = kill.inside_limit || id.ends_with("memcg");
      if (const std::string_view path = hit->Capture("path"); !path.empty()) kill.group = path;
      const double resident =
          ParseByteSize(hit->Capture("anon_rss_size")).value_or(0) + ParseByteSize(hit->Capture("shmem_rss_size")).value_or(0);
      kill.resident = std::max(kill.resident, resident);
      if (!kill.time) kill.time = hit->time;
      if (kill.because.empty()) kill.because = hit->belongs_because;
      kill.cites.push_back(hit->cite);
    }
  }
  std::vector<Kill> kills;
  for (auto& [victim, kill] : by_victim) kills.push_back(std::move(kill));
  return kills;
}

// Seconds from the run's last line to the kill; nullopt when the clocks do not compare.
std::optional<double> AfterLastLine(const Kill& kill, const LogWindow& window) {
  if (FitOfTime(window, kill.time, 0) == TimeFit::kUnknown) return std::nullopt;
  return kill.time->seconds - window.last->seconds;
}

// The run's own output says that this process, or one without a name, was killed.
bool LogReportsKill(const FactView& facts, std::int64_t pid) {
  for (const std::string_view id : {"shell-killed", "exit-status-kill", "loader-worker-sigkill"}) {
    for (const SignatureHit* hit : facts.Hits(id)) {
      const auto own = ParseInteger(hit->Capture("pid"));
      if (hit->origin == Origin::kRunLog && (!own || *own == pid)) return true;
    }
  }
  return std::any_of(facts.All<LaunchFailure>().begin(), facts.All<LaunchFailure>().end(), [&](const LaunchFailure& f) {
    return f.pid == pid && f.exit_code && (*f.exit_code == -9 || *f.exit_code == 137);
  });
}

// A number that the run's output names is its process only while that process lived: the kill falls into the run's time, or,
// where no clock tells, the run's own output says that it was killed.
bool IsOwnProcess(const FactView& facts, const Kill& kill, const LogWindow& window) {
  constexpr double kSilence = 900;  // seconds: a process that hangs prints nothing
  const TimeFit fit = FitOfTime(window, kill.time, kSilence);
  return fit == TimeFit::kInside || (fit == TimeFit::kUnknown && LogReportsKill(facts, kill.pid));
}

// A job id inside a cgroup path: "/slurm/uid_4410/job_77120/step_0", "/kubepods/…/pod12".
std::string JobOfGroup(const FactView& facts, std::string_view group) {
  for (const std::string_view part : Split(group, '/')) {
    if (!part.starts_with("job_")) continue;
    if (std::string because = OwnJobBecause(facts, part.substr(4)); !because.empty())
      return "its cgroup is that of the job, and " + because;
  }
  return {};
}

bool LooksLikeTraining(std::string_view command) {
  return command.starts_with("python") || command.starts_with("pt_") || command.starts_with("ray::") ||
         command.starts_with("torchrun");
}

// The shell or launcher named the process that died; a kill of another id was not of that process.
bool KilledUnderAnotherId(const FactView& facts, std::int64_t pid) {
  bool named = false;
  for (const std::string_view id : {"shell-killed", "exit-status-kill", "loader-worker-sigkill"}) {
    for (const SignatureHit* hit : facts.Hits(id)) {
      const auto own = ParseInteger(hit->Capture("pid"));
      if (own && *own == pid) return false;
      named = named || own.has_value();
    }
  }
  return named;
}

bool EndedAsPlanned(const FactView& facts) {
  if (ExtentOfRun(facts).reached_plan) return true;
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (AnnouncesEnd(hit) && StepsAfter(facts, hit.cite.source, hit.cite.end) == 0) return true;
  }
  return false;
}

std::optional<std::pair<double, Citation>> HostMemory(const FactView& facts) {
  for (const SignatureHit* hit : facts.Hits("kernel-ram-pages")) {
    if (const auto pages = ParseInteger(hit->Capture("page_count")))
      return std::pair{static_cast<double>(*pages) * kPage, hit->cite};
  }
  for (const Reading& reading : facts.All<Reading>()) {
    if (reading.name == "host.memory_total" && BelongsToRun(reading) && reading.value > 0)
      return std::pair{reading.value, reading.cite};
  }
  return std::nullopt;
}

void LookAtShares(const FactView& facts, const Kill& kill, Findings& out) {
  const auto memory = HostMemory(facts);
  if (!memory) {
    out.NotChecked("own-share-large", "the host's memory is not known");
    return;
  }
  const auto& [total, cite] = *memory;
  if (kill.resident > kShare * total) {
    std::vector<Citation> cites = kill.cites;
    cites.push_back(cite);
    out.Add("host-memory-kill", "own-share-large",
            fmt::format("Process {} of this run held {} of the host's {} when the kernel killed it.", kill.pid,
                        FormatBytes(kill.resident), FormatBytes(total)),
            std::move(cites));
  }
  const auto own = OwnPids(facts);
  if (!own.contains(kill.pid)) return;
  for (const Reading& reading : facts.All<Reading>()) {
    const bool resident = reading.name.starts_with("process.") && reading.name.ends_with(".rss");
    if (!resident || !BelongsToRun(reading) || reading.value <= kShare * total) continue;
    const auto pid = ParseInteger(std::string_view(reading.name).substr(8, reading.name.size() - 12));
    if (!pid || own.contains(*pid)) continue;
    std::vector<Citation> cites = kill.cites;
    cites.push_back(reading.cite);
    out.Add("host-memory-kill", "neighbour-large",
            fmt::format("Process {}, which this run does not name, held {} of the host's {}.", *pid, FormatBytes(reading.value),
                        FormatBytes(total)),
            std::move(cites));
    return;
  }
}

void AddOwn(const FactView& facts, const Kill& kill, Findings& out) {
  Finding& own = out.Add(
      "host-memory-kill", "oom-kill-own",
      fmt::format("The kernel killed process {} ({}) for memory{}; it is of this run: {}.", kill.pid, Printable(kill.command, 40),
                  kill.resident > 0 ? fmt::format(" at {}", FormatBytes(kill.resident)) : "", kill.because),
      kill.cites);
  if (!own.time) own.time = kill.time;
  if (kill.inside_limit && !kill.global) {
    out.Add("host-memory-kill", "oom-kill-cgroup",
            fmt::format("The kernel killed process {} inside a memory limit{}.", kill.pid,
                        kill.group.empty() ? "" : fmt::format(", that of {}", Printable(kill.group, 160))),
            kill.cites);
  }
  if (kill.global) {
    out.Add("host-memory-kill", "global-oom",
            fmt::format("The whole host was out of memory when the kernel killed process {}.", kill.pid), kill.cites);
    LookAtShares(facts, kill, out);
  }
}

// The counter of the run's own cgroup.
void LookAtCounter(const FactView& facts, Findings& out) {
  for (const Reading& reading : facts.All<Reading>()) {
    if (reading.name != "cgroup.memory.oom_kill" || !BelongsToRun(reading) || reading.value < 1) continue;
    out.Add("host-memory-kill", "oom-kill-own",
            fmt::format("The run's cgroup counts {} for memory; it is of this run: {}.",
                        Plural(static_cast<std::uint64_t>(NearestWhole(reading.value)), "kill"), reading.belongs_because),
            {reading.cite});
    out.Add("host-memory-kill", "oom-kill-cgroup", "The kernel killed inside the memory limit of the run's cgroup.",
            {reading.cite});
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtCounter(facts, out);
  const std::vector<Kill> kills = Kills(facts);
  if (kills.empty()) return;
  const auto own = OwnPids(facts);
  const LogWindow window = WindowOfRun(facts);
  const Kill* near = nullptr;
  double near_seconds = std::numeric_limits<double>::infinity();
  for (Kill kill : kills) {
    if (FitOfTime(window, kill.time, kAfterLog) == TimeFit::kOutside || WentOnAfter(facts, kill.time)) continue;
    // The tie by number of a saved log was made without a clock where it says that the log lay beside the run.
    const bool by_number =
        kill.because.empty() || (kill.because.starts_with("process ") && kill.because.ends_with("saved beside the run"));
    if (const std::string job = JobOfGroup(facts, kill.group); by_number && !job.empty()) {
      kill.because = job;
    } else if (by_number) {
      if (!IsOwnProcess(facts, kill, window)) continue;
      if (kill.because.empty() && own.contains(kill.pid))
        kill.because = fmt::format("process {} is named in its output", kill.pid);
    }
    if (!kill.because.empty()) AddOwn(facts, kill, out);
  }
  if (out.Has("oom-kill-own") || EndedAsPlanned(facts)) return;
  for (const Kill& kill : kills) {
    auto after = AfterLastLine(kill, window);
    double near_enough = kNear;
    if (!after && kill.live && kill.time && kill.time->zoned && window.written > 0) {
      // The log prints no time, or none with a zone. Its file does, but that moves when the log is copied.
      after = kill.time->seconds - window.written;
      near_enough = kClock;
    }
    if (!after || *after < -kClock || *after > near_enough || !LooksLikeTraining(kill.command) ||
        KilledUnderAnotherId(facts, kill.pid))
      continue;
    if (*after >= near_seconds) continue;
    near = &kill;
    near_seconds = *after;
  }
  if (near == nullptr) {
    out.NotChecked("oom-kill-own", "the kernel's memory kills that were read name no process, cgroup or job of this run");
    return;
  }
  Finding& finding = out.Add(
      "host-memory-kill", "oom-kill-near",
      fmt::format("The kernel killed process {} ({}) for memory {} of the run's log; nothing ties that process to the run.",
                  near->pid, Printable(near->command, 40),
                  near_seconds < 1 ? std::string("at the end") : fmt::format("{} after the end", FormatSeconds(near_seconds))),
      near->cites);
  finding.time = near->time;
}

}  // namespace

extern const Rule host_memory_kill;
constinit const Rule host_memory_kill{
    .id = "host-memory-kill",
    .title = "Whether the kernel killed a process of this run for memory, and whose limit it was",
    .looks_at = "memory kills in kernel logs, process ids, jobs and cgroups of the run",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
