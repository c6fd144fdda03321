// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/text.h"
#include "evidence/probes/probe.h"

// Captured: for each control group a line "== PATH", then lines "FILE: one line of it".
// Facts, the text of each is the group's path: cgroup.memory.current, .max, .high, .peak (bytes; .max is infinite without a
// limit), cgroup.memory.max_events, .oom, .oom_kill, .failures (count), cgroup.pids.current, .max, .max_events (count),
// cgroup.cpu.limit (processors), cgroup.cpu.throttled (seconds). Versions 1 and 2 give the same names. Counts are since the group
// was made. Looked at: the groups of the processes that the run names, the groups of its Slurm jobs, assay's own group and those
// above it.

namespace assay::probes {
namespace {

constexpr std::size_t kMaxGroups = 64;

struct File {
  std::string_view controller;  // of version 1
  std::string_view name;
};
constexpr std::array<File, 9> kVersion2{{{"", "memory.current"},
                                         {"", "memory.max"},
                                         {"", "memory.high"},
                                         {"", "memory.peak"},
                                         {"", "memory.events"},
                                         {"", "pids.current"},
                                         {"", "pids.max"},
                                         {"", "cpu.max"},
                                         {"", "cpu.stat"}}};
constexpr std::array<File, 10> kVersion1{{{"memory", "memory.usage_in_bytes"},
                                          {"memory", "memory.limit_in_bytes"},
                                          {"memory", "memory.max_usage_in_bytes"},
                                          {"memory", "memory.failcnt"},
                                          {"memory", "memory.oom_control"},
                                          {"pids", "pids.current"},
                                          {"pids", "pids.max"},
                                          {"cpu", "cpu.cfs_quota_us"},
                                          {"cpu", "cpu.cfs_period_us"},
                                          {"cpu", "cpu.stat"}}};

// The paths of one process, by controller; "" is version 2.
std::vector<std::pair<std::string, std::string>> GroupsOf(const ProbeContext& context, const std::string& pid) {
  std::vector<std::pair<std::string, std::string>> groups;
  const auto text = ReadWholeFile(context.files, "/proc/" + pid + "/cgroup", 1 << 16);
  if (!text.has_value()) return groups;
  for (const std::string_view line : Split(*text, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    for (const std::string_view controller : Split(line.substr(first + 1, second - first - 1), ',')) {
      if (groups.size() < 64) groups.emplace_back(std::string(controller), std::string(line.substr(second + 1)));
    }
  }
  return groups;
}

void AddUnique(std::vector<std::string>& into, std::string path) {
  if (path.empty()) path = "/";
  if (into.size() < kMaxGroups && std::find(into.begin(), into.end(), path) == into.end()) into.push_back(std::move(path));
}

// Slurm makes uid_U/job_J below its root; names of the root differ, so that two levels are searched.
void FindJobs(const ProbeContext& context, const std::string& mount, std::vector<std::string>& paths) {
  const auto folders = [&](const std::string& path) {
    std::vector<std::string> names;
    (void)context.files
        .List(mount + path,
              [&](const DirectoryEntry& entry) {
                if (entry.kind == FileKind::kDirectory) names.push_back(path + "/" + entry.name);
                return names.size() < 1000;
              })
        .has_value();
    return names;
  };
  for (const std::string& root : folders("")) {
    const bool slurm = root.find("slurm") != std::string::npos || root == "/system.slice";
    if (!slurm) continue;
    for (const std::string& user : folders(root)) {
      for (const Tie& job : context.ties.jobs) {
        for (const std::string& path : {user + "/job_" + job.value, root + "/job_" + job.value}) {
          if (context.files.Stat(mount + path).has_value()) AddUnique(paths, path);
        }
      }
    }
  }
}

template <std::size_t N>
void ReadGroup(const ProbeContext& context, const std::string& mount, bool by_controller, const std::array<File, N>& files,
               const std::string& path, ProbeOutput& output) {
  std::string text;
  for (const File& file : files) {
    const std::string folder = by_controller ? mount + "/" + std::string(file.controller) : mount;
    const auto content = ReadWholeFile(context.files, folder + (path == "/" ? "" : path) + "/" + std::string(file.name), 1 << 16);
    if (!content.has_value()) continue;  // a controller that is off, or the root, which has no limits
    for (const std::string_view line : Split(Trim(*content), '\n'))
      text += std::string(file.name) + ": " + std::string(line) + "\n";
  }
  if (!text.empty()) output.Text("== " + path + "\n" + text);
}

void Collect(const ProbeContext& context, ProbeOutput& output) {
  constexpr std::string_view kMount = "/sys/fs/cgroup";
  const std::string mount(kMount);
  output.Looking(kMount);
  const bool version2 = context.files.Stat(mount + "/cgroup.controllers").has_value();
  const bool version1 = context.files.Stat(mount + "/memory").has_value();
  if (!version2 && !version1) return output.NotChecked("control groups", "none are mounted at /sys/fs/cgroup");
  std::vector<std::string> paths;
  std::vector<std::string> pids;
  for (const Tie& pid : context.ties.pids) {
    if (pids.size() < kMaxGroups) pids.push_back(pid.value);
  }
  pids.emplace_back("self");
  for (const std::string& pid : pids) {
    for (const auto& [controller, path] : GroupsOf(context, pid)) {
      if (controller != (version2 ? "" : "memory")) continue;
      AddUnique(paths, path);
      // A limit may stand on any level above.
      for (std::string above = path; above.size() > 1;) {
        above = above.substr(0, above.rfind('/'));
        AddUnique(paths, above);
      }
    }
  }
  // Inside a container the path is one of outside, and its own group is what is mounted.
  AddUnique(paths, "/");
  FindJobs(context, version2 ? mount : mount + "/memory", paths);
  for (const std::string& path : paths) {
    output.Looking(mount + path);
    if (version2) {
      ReadGroup(context, mount, false, kVersion2, path, output);
    } else {
      ReadGroup(context, mount, true, kVersion1, path, output);
    }
  }
}

class Interpreter {
 public:
  Interpreter(const CapturedText& captured, const RunTies& ties, FactStore& facts)
      : captured_(captured),
        ties_(ties),
        facts_(facts) {}

  void Read() {
    std::size_t at = 0;
    std::uint64_t number = 0;
    while (at < captured_.text.size()) {
      const std::size_t end = std::min(captured_.text.find('\n', at), captured_.text.size());
      const std::string_view line = captured_.text.substr(at, end - at);
      cite_ = {.source = captured_.source, .begin = at, .end = end, .line = ++number};
      at = end + 1;
      if (line.starts_with("== ")) {
        path_ = line.substr(3);
        quota_.reset();
        const Tie* tie = FindCgroupTie(ties_, path_);
        because_ = tie == nullptr ? "" : "it is the control group of " + tie->value + ", which " + tie->said + " names";
      } else if (const std::size_t colon = line.find(": "); colon != std::string_view::npos) {
        File(line.substr(0, colon), line.substr(colon + 2));
      }
    }
  }

 private:
  void File(std::string_view file, std::string_view line) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kPlain{{
        {"memory.current", "memory.current"},
        {"memory.usage_in_bytes", "memory.current"},
        {"memory.max", "memory.max"},
        {"memory.limit_in_bytes", "memory.max"},
        {"memory.high", "memory.high"},
        {"memory.peak", "memory.peak"},
        {"memory.max_usage_in_bytes", "memory.peak"},
        {"memory.failcnt", "memory.failures"},
        {"pids.current", "pids.current"},
        {"pids.max", "pids.max"},
    }};
    for (const auto& [name, fact] : kPlain) {
      if (file != name) continue;
      const bool bytes = fact.starts_with("memory.") && fact != "memory.failures";
      if (line == "max") return Number(fact, std::numeric_limits<double>::infinity(), bytes ? "bytes" : "count");
      const auto value = ParseNumber(line);
      if (!value || *value < 0) return;
      // Version 1 writes the largest page count for "no limit".
      constexpr double kUnlimited = 9.2e18;
      return Number(fact, *value >= kUnlimited ? std::numeric_limits<double>::infinity() : *value, bytes ? "bytes" : "count");
    }
    const std::size_t blank = line.find(' ');
    const std::string_view key = line.substr(0, blank);
    const double value = blank == std::string_view::npos ? -1 : ParseNumber(line.substr(blank + 1)).value_or(-1);
    if (file == "cpu.max") return CpuMax(key, value);
    if (file == "cpu.cfs_quota_us") return (void)(quota_ = ParseNumber(line));
    if (file == "cpu.cfs_period_us") {
      const auto period = ParseNumber(line);
      if (quota_ && period && *period > 0)
        Number("cpu.limit", *quota_ < 0 ? std::numeric_limits<double>::infinity() : *quota_ / *period, "count");
      return;
    }
    if (!(value >= 0)) return;
    if (file == "memory.events" && (key == "oom" || key == "oom_kill")) Number("memory." + std::string(key), value, "count");
    if (file == "memory.events" && key == "max") Number("memory.max_events", value, "count");
    if (file == "memory.oom_control" && key == "oom_kill") Number("memory.oom_kill", value, "count");
    if (file == "cpu.stat" && key == "throttled_usec") Number("cpu.throttled", value / 1e6, "seconds");
    if (file == "cpu.stat" && key == "throttled_time") Number("cpu.throttled", value / 1e9, "seconds");
  }

  void CpuMax(std::string_view quota, double period) {
    if (quota == "max") return Number("cpu.limit", std::numeric_limits<double>::infinity(), "count");
    const double value = ParseNumber(quota).value_or(0);
    if (value > 0 && period > 0) Number("cpu.limit", value / period, "count");
  }

  void Number(std::string_view name, double value, std::string unit) {
    facts_.Add<Reading>({.name = "cgroup." + std::string(name),
                         .value = value,
                         .text = std::string(path_.substr(0, 512)),
                         .unit = std::move(unit),
                         .live = true,
                         .belongs_because = because_,
                         .cite = cite_});
  }

  const CapturedText& captured_;
  const RunTies& ties_;
  FactStore& facts_;
  std::string_view path_;
  std::string because_;
  std::optional<double> quota_;
  Citation cite_;
};

void Interpret(const CapturedText& captured, const RunTies& ties, FactStore& facts) { Interpreter(captured, ties, facts).Read(); }

}  // namespace

extern const Probe cgroup;
constinit const Probe cgroup{
    .id = "cgroup",
    .title = "Control groups: limits of memory, processes and processors, and how often they were met",
    .reads = "/sys/fs/cgroup",
    .cost = "milliseconds",
    .privileges = "none",
    .collect = Collect,
    .interpret = Interpret,
};

}  // namespace assay::probes
