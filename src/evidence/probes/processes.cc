// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "evidence/codecs/secret_filter.h"
#include "evidence/probes/probe.h"

// Captured: one JSON object a line, for each process that looks like training. Members: pid, parent, name, command, state,
// started (seconds since the epoch), directory, cgroup, wait (wait channel), threads, rss, files and limit_files (open
// descriptors and their limit), limit_processes, of_project (a file of the project that it holds open).

namespace assay::probes {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxProcesses = 2000;
constexpr std::size_t kMaxDescriptors = 65536;

bool LooksLikeTraining(std::string_view name, std::string_view command) {
  constexpr std::array<std::string_view, 12> kNames{"python", "pt_main_thread", "pt_data_worker", "pt_",
                                                    "ray::",  "torchrun",       "accelerate",     "deepspeed",
                                                    "mpirun", "horovod",        "train",          "jupyter"};
  if (std::any_of(kNames.begin(), kNames.end(), [&](std::string_view word) { return name.starts_with(word); })) return true;
  constexpr std::array<std::string_view, 6> kWords{"torchrun",  "torch.distributed", "accelerate launch",
                                                   "deepspeed", "train.py",          "finetune"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return command.find(word) != std::string_view::npos; });
}

std::string ReadSmall(const ProbeContext& context, const std::string& path) {
  auto text = ReadWholeFile(context.files, path, 1 << 20);
  return text.has_value() ? std::move(*text) : std::string();
}

// Number behind "Label:" of /proc/PID/status.
std::optional<std::int64_t> StatusNumber(std::string_view status, std::string_view label) {
  const std::size_t at = status.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view value = Trim(status.substr(at + label.size(), 64));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

// The soft limit behind a label of /proc/PID/limits; -1: unlimited.
std::optional<std::int64_t> SoftLimit(std::string_view limits, std::string_view label) {
  const std::size_t at = limits.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view value = Trim(limits.substr(at + label.size(), 40));
  if (value.starts_with("unlimited")) return -1;
  return StatusNumber(limits.substr(at), label);
}

// Version 2's path, else that of the memory controller of version 1.
std::string CgroupOf(std::string_view text) {
  std::string found;
  for (const std::string_view line : Split(text, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers == "memory") return std::string(path);
    if (controllers.empty() && path.size() > found.size()) found = path;
  }
  return found;
}

double BootSeconds(const ProbeContext& context) {
  const std::string stat = ReadSmall(context, "/proc/stat");
  const std::size_t at = stat.find("btime ");
  const auto number = at == std::string::npos ? std::nullopt : ParseNumberPrefix(std::string_view(stat).substr(at + 6));
  return number ? number->value : 0;
}

bool IsBelow(std::string_view path, std::string_view folder) {
  return folder.size() > 1 && path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::optional<Json> Look(const ProbeContext& context, const std::string& pid, double boot, double ticks) {
  const std::string folder = "/proc/" + pid;
  const std::string stat = ReadSmall(context, folder + "/stat");
  // The name stands in parentheses and may hold some itself.
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const std::string name = stat.substr(open + 1, close - open - 1);
  std::string command = ReadSmall(context, folder + "/cmdline").substr(0, 16384);
  std::replace(command.begin(), command.end(), '\0', ' ');
  const std::vector<std::string_view> fields = Split(Trim(std::string_view(stat).substr(close + 1)), ' ');
  if (fields.size() < 20) return std::nullopt;
  const auto directory = context.files.ReadLink(folder + "/cwd");
  const std::string at = directory.has_value() ? *directory : std::string();
  if (!LooksLikeTraining(name, command) && !IsBelow(at, context.project)) return std::nullopt;
  Json out{{"pid", ParseInteger(pid).value_or(0)},
           {"parent", ParseInteger(fields[1]).value_or(0)},
           {"name", name},
           {"command", WithoutSecrets("command", Trim(command))},
           {"state", std::string(fields[0].substr(0, 1))},
           {"started", boot + ParseNumber(fields[19]).value_or(0) / ticks},
           {"directory", at},
           {"cgroup", CgroupOf(ReadSmall(context, folder + "/cgroup"))}};
  if (fields[0] == "D") out["wait"] = std::string(Trim(ReadSmall(context, folder + "/wchan")));
  const std::string status = ReadSmall(context, folder + "/status");
  if (const auto rss = StatusNumber(status, "VmRSS:")) out["rss"] = *rss * 1024;
  if (const auto threads = StatusNumber(status, "Threads:")) out["threads"] = *threads;
  const std::string limits = ReadSmall(context, folder + "/limits");
  if (const auto limit = SoftLimit(limits, "Max open files")) out["limit_files"] = *limit;
  if (const auto limit = SoftLimit(limits, "Max processes")) out["limit_processes"] = *limit;
  std::size_t descriptors = 0;
  const Status listed = context.files.List(folder + "/fd", [&](const DirectoryEntry& entry) {
    ++descriptors;
    if (!out.contains("of_project") && descriptors < 4096) {
      const auto target = context.files.ReadLink(folder + "/fd/" + entry.name);
      if (target.has_value() && IsBelow(*target, context.project)) out["of_project"] = *target;
    }
    return descriptors < kMaxDescriptors;
  });
  if (listed.has_value()) out["files"] = descriptors;
  return out;
}

void Collect(const ProbeContext& context, ProbeOutput& output) {
  output.Looking("/proc");
  const double boot = BootSeconds(context);
  const double ticks = context.is_this_machine ? static_cast<double>(sysconf(_SC_CLK_TCK)) : 100;
  const std::string self = context.is_this_machine ? std::to_string(getppid()) : std::string();
  std::vector<std::string> pids;
  const Status listed = context.files.List("/proc", [&](const DirectoryEntry& entry) {
    if (!entry.name.empty() && std::all_of(entry.name.begin(), entry.name.end(), IsDigit) && entry.name != self)
      pids.push_back(entry.name);
    return pids.size() < 200000;
  });
  if (!listed.has_value() || pids.empty())
    return output.NotChecked("processes", "/proc: " + (listed.has_value() ? "no process is shown" : listed.error().reason));
  std::sort(pids.begin(), pids.end(),
            [](const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  std::size_t told = 0;
  for (const std::string& pid : pids) {
    output.Looking("/proc/" + pid);
    const auto process = Look(context, pid, boot, ticks);
    if (!process) continue;
    if (++told > kMaxProcesses)
      return output.NotChecked("processes", "more than " + std::to_string(kMaxProcesses) + " look like training");
    output.Text(process->dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
}

std::string WhyItBelongs(const ProcessSeen& process, const std::string& of_project, const RunTies& ties) {
  const bool before_end = !ties.window || process.started <= ties.window->last + kKernelTolerance;
  const Tie* named = FindTie(ties.pids, std::to_string(process.pid));
  if (named != nullptr && before_end && ties.window)
    return "process " + named->value + " is named in " + named->said + " and was started before that";
  if (!before_end) return {};  // started after the run's last sign of life: another run
  if (!of_project.empty()) return "it holds " + Printable(of_project, 200) + " open";
  // The same folder alone may be a second run of the project; one that was started with the log is not.
  constexpr double kStartUp = 120;
  if (ties.window && !ties.project.empty() && IsBelow(process.working_directory, ties.project) &&
      std::abs(process.started - ties.window->first) <= kStartUp) {
    return "it works in the run's project and was started with the run";
  }
  return {};
}

void Interpret(const CapturedText& captured, const RunTies& ties, FactStore& facts) {
  std::size_t at = 0;
  std::uint64_t number = 0;
  while (at < captured.text.size()) {
    const std::size_t end = std::min(captured.text.find('\n', at), captured.text.size());
    const std::string_view line = captured.text.substr(at, end - at);
    const Citation cite{.source = captured.source, .begin = at, .end = end, .line = ++number};
    at = end + 1;
    const Json seen = Json::parse(line, nullptr, false);
    if (!seen.is_object()) continue;
    try {
      ProcessSeen process{.pid = seen.value("pid", std::int64_t{0}),
                          .parent = seen.value("parent", std::int64_t{0}),
                          .name = seen.value("name", ""),
                          .command = seen.value("command", ""),
                          .state = (seen.value("state", "?") + "?")[0],
                          .working_directory = seen.value("directory", ""),
                          .cgroup = seen.value("cgroup", ""),
                          .started = seen.value("started", 0.0),
                          .cite = cite};
      process.belongs_because = WhyItBelongs(process, seen.value("of_project", ""), ties);
      const std::string prefix = "process." + std::to_string(process.pid) + ".";
      const auto number_of = [&](std::string_view key, std::string_view name, std::string_view unit) {
        const auto it = seen.find(key);
        if (it == seen.end() || !it->is_number()) return;
        double value = it->get<double>();
        if (value < 0) value = std::numeric_limits<double>::infinity();  // no limit
        facts.Add<Reading>({.name = prefix + std::string(name),
                            .value = value,
                            .unit = std::string(unit),
                            .live = true,
                            .belongs_because = process.belongs_because,
                            .cite = cite});
      };
      number_of("rss", "rss", "bytes");
      number_of("threads", "threads", "count");
      number_of("files", "open_files", "count");
      number_of("limit_files", "limit.open_files", "count");
      number_of("limit_processes", "limit.processes", "count");
      if (const std::string wait = seen.value("wait", ""); !wait.empty()) {
        facts.Add<Reading>({.name = prefix + "wait_channel",
                            .text = wait,
                            .live = true,
                            .belongs_because = process.belongs_because,
                            .cite = cite});
      }
      facts.Add(std::move(process));
    } catch (const Json::exception&) {
      continue;  // a member of another kind than this probe writes
    }
  }
}

}  // namespace

extern const Probe processes;
constinit const Probe processes{
    .id = "processes",
    .title = "Processes that look like training: state, memory, descriptors, several instances",
    .reads = "/proc/PID",
    .cost = "a tenth of a second for a thousand processes",
    .privileges = "the process's own user or root, for its folder, descriptors and wait channel",
    .collect = Collect,
    .interpret = Interpret,
};

}  // namespace assay::probes
