// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "base/text.h"
#include "evidence/codecs/text_file.h"
#include "evidence/probes/probe.h"

// Captured: the files below, each under a line "== PATH".
// Facts: host.name, host.kernel (text), host.boot_id (text), host.boot_time (seconds since the epoch), host.memory_total,
// .memory_available, .swap_total, .swap_free, .memory_shared (bytes), host.load (processes, one minute), host.pressure.memory,
// .pressure.io, .pressure.cpu (percent of the last five minutes in which some task waited), host.cpus (count).

namespace assay::probes {
namespace {

constexpr std::array<std::string_view, 10> kFiles{"/proc/sys/kernel/hostname",
                                                  "/proc/sys/kernel/osrelease",
                                                  "/proc/sys/kernel/random/boot_id",
                                                  "/proc/stat",
                                                  "/proc/meminfo",
                                                  "/proc/loadavg",
                                                  "/proc/pressure/memory",
                                                  "/proc/pressure/io",
                                                  "/proc/pressure/cpu",
                                                  "/sys/devices/system/cpu/online"};

void Collect(const ProbeContext& context, ProbeOutput& output) {
  for (const std::string_view path : kFiles) {
    output.Looking(path);
    const auto text = ReadWholeFile(context.files, std::string(path), 1 << 20);
    if (!text.has_value()) {
      // Pressure is not built into every kernel; that is no failure to look.
      if (!path.starts_with("/proc/pressure")) output.NotChecked(path, text.error().reason);
      continue;
    }
    std::string_view content = *text;
    std::string part;
    if (path == "/proc/stat") {  // only the line that says when this machine was started
      const std::size_t at = content.find("btime ");
      if (at == std::string_view::npos) continue;
      part = content.substr(at, content.find('\n', at) - at);
      content = part;
    }
    output.Text("== " + std::string(path) + "\n" + std::string(Trim(content)) + "\n");
  }
}

// "0-3,8": how many.
double CountOfRanges(std::string_view text) {
  double count = 0;
  for (const std::string_view part : Split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = ParseInteger(Trim(part.substr(0, dash)));
    const auto last = dash == std::string_view::npos ? first : ParseInteger(Trim(part.substr(dash + 1)));
    if (first && last && *last >= *first && *last < 1 << 20) count += static_cast<double>(*last - *first + 1);
  }
  return count;
}

class Interpreter {
 public:
  Interpreter(const CapturedText& captured, const RunTies& ties, FactStore& facts)
      : captured_(captured),
        ties_(ties),
        facts_(facts) {}

  void Read() {
    // The host's name comes first: whether the rest belongs to the run hangs on it.
    std::size_t at = 0;
    std::uint64_t number = 0;
    while (at < captured_.text.size()) {
      const std::size_t end = std::min(captured_.text.find('\n', at), captured_.text.size());
      const std::string_view line = captured_.text.substr(at, end - at);
      cite_ = {.source = captured_.source, .begin = at, .end = end, .line = ++number};
      at = end + 1;
      if (line.starts_with("== ")) {
        path_ = line.substr(3);
      } else {
        Line(line);
      }
    }
  }

 private:
  void Line(std::string_view line) {
    if (path_ == "/proc/sys/kernel/hostname") {
      const Tie* tie = ties_.hosts.empty() || !HostAgrees(ties_, line) ? nullptr : &ties_.hosts.front();
      if (tie != nullptr) because_ = "this host is named in " + tie->said;
      Text("host.name", line);
    } else if (path_ == "/proc/sys/kernel/osrelease") {
      Text("host.kernel", line);
    } else if (path_ == "/proc/sys/kernel/random/boot_id") {
      Text("host.boot_id", line);
    } else if (path_ == "/sys/devices/system/cpu/online") {
      Number("host.cpus", CountOfRanges(line), "count");
    } else if (line.starts_with("btime ")) {
      if (const auto value = ParseNumber(Trim(line.substr(6)))) Number("host.boot_time", *value, "seconds");
    } else if (path_ == "/proc/loadavg") {
      if (const auto value = ParseNumberPrefix(line)) Number("host.load", value->value, "count");
    } else if (path_.starts_with("/proc/pressure/") && line.starts_with("some ")) {
      const std::size_t average = line.find("avg300=");
      const auto value = average == std::string_view::npos ? std::nullopt : ParseNumberPrefix(line.substr(average + 7));
      if (value) Number("host.pressure." + std::string(path_.substr(15)), value->value, "percent");
    } else if (path_ == "/proc/meminfo") {
      Memory(line);
    }
  }

  void Memory(std::string_view line) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames{{{"MemTotal:", "memory_total"},
                                                                                   {"MemAvailable:", "memory_available"},
                                                                                   {"SwapTotal:", "swap_total"},
                                                                                   {"SwapFree:", "swap_free"},
                                                                                   {"Shmem:", "memory_shared"}}};
    for (const auto& [label, name] : kNames) {
      if (!line.starts_with(label)) continue;
      const auto value = ParseNumberPrefix(Trim(line.substr(label.size())));
      if (value && value->value >= 0) Number("host." + std::string(name), value->value * 1024, "bytes");
    }
  }

  void Number(std::string name, double value, std::string unit) {
    facts_.Add<Reading>({.name = std::move(name),
                         .value = value,
                         .unit = std::move(unit),
                         .live = true,
                         .belongs_because = because_,
                         .cite = cite_});
  }
  void Text(std::string name, std::string_view text) {
    facts_.Add<Reading>({.name = std::move(name),
                         .text = std::string(text.substr(0, 256)),
                         .live = true,
                         .belongs_because = because_,
                         .cite = cite_});
  }

  const CapturedText& captured_;
  const RunTies& ties_;
  FactStore& facts_;
  std::string_view path_;
  std::string because_;
  Citation cite_;
};

void Interpret(const CapturedText& captured, const RunTies& ties, FactStore& facts) { Interpreter(captured, ties, facts).Read(); }

}  // namespace

extern const Probe host;
constinit const Probe host{
    .id = "host",
    .title = "This machine: name, start, kernel, memory, load, pressure",
    .reads = "/proc/{sys/kernel,stat,meminfo,loadavg,pressure}",
    .cost = "milliseconds",
    .privileges = "none",
    .collect = Collect,
    .interpret = Interpret,
};

}  // namespace assay::probes
