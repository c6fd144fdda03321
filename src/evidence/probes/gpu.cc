// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "evidence/listings/nvidia_smi.h"
#include "evidence/probes/probe.h"
#include "platform/nvml_helper.h"

// Captured: the JSON lines of platform/nvml_helper.c, or the CSV of nvidia-smi, or lines "amd CARD FILE VALUE" of sysfs. Facts as
// listings/nvidia_smi.h names them.

namespace assay::probes {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kWhat = "the GPUs";

// AMD's driver needs no library: it shows the essentials in sysfs.
bool CollectAmd(const ProbeContext& context, ProbeOutput& output) {
  bool any = false;
  for (int card = 0; card < 32; ++card) {
    const std::string folder = "/sys/class/drm/card" + std::to_string(card) + "/device/";
    for (const std::string_view file : {"mem_info_vram_total", "mem_info_vram_used", "gpu_busy_percent"}) {
      const auto value = ReadWholeFile(context.files, folder + std::string(file), 4096);
      if (!value.has_value()) continue;
      any = true;
      output.Text("amd " + std::to_string(card) + " " + std::string(file) + " " + std::string(Trim(*value)) + "\n");
    }
  }
  return any;
}

void Collect(const ProbeContext& context, ProbeOutput& output) {
  output.Looking("/sys/class/drm");
  const bool amd = CollectAmd(context, output);
  if (!context.is_this_machine) return;
  output.Looking("the NVIDIA driver");
  const auto helper = RunNvmlHelper(context.nvml_library, kCommandDeadline / 2);
  std::string why = helper.has_value() ? "" : helper.error().reason;
  if (helper.has_value()) {
    // What was said before a hang still holds.
    const bool refused = helper->output.starts_with("{\"error\"");
    if (!helper->output.empty() && !refused) output.Text(helper->output);
    if (helper->exit_status == 0) return;
    if (refused) {
      const Json said = Json::parse(helper->output, nullptr, false);
      if (said.is_object() && said.contains("error") && said["error"].is_string()) why = said["error"].get<std::string>();
    } else if (helper->timed_out || !helper->exit_status) {
      return output.NotChecked(kWhat, "the NVIDIA driver did not answer");
    }
  }
  output.Looking("nvidia-smi");
  const auto smi = RunCommand({"nvidia-smi",
                               "--query-gpu=index,uuid,name,driver_version,memory.total,memory.used,memory.free,utilization.gpu,"
                               "temperature.gpu,power.draw,"
                               "enforced.power.limit,power.default_limit,clocks.sm,ecc.errors.uncorrected.volatile.total",
                               "--format=csv"},
                              kCommandDeadline / 2, 1 << 20);
  if (smi.has_value() && smi->exit_status == 0) {
    output.Text(smi->output);
  } else if (!amd) {
    output.NotChecked(kWhat, why + (smi.has_value() ? ", and nvidia-smi gave no answer" : ", and there is no nvidia-smi"));
  }
}

constexpr std::array<std::pair<unsigned, std::string_view>, 9> kReasons{{{0x1, "gpu_idle"},
                                                                         {0x2, "applications_clocks_setting"},
                                                                         {0x4, "sw_power_cap"},
                                                                         {0x8, "hw_slowdown"},
                                                                         {0x10, "sync_boost"},
                                                                         {0x20, "sw_thermal_slowdown"},
                                                                         {0x40, "hw_thermal_slowdown"},
                                                                         {0x80, "hw_power_brake_slowdown"},
                                                                         {0x100, "display_clock_setting"}}};

struct Plain {
  std::string_view member;
  std::string_view name;
  std::string_view unit;
  double scale;
};
constexpr std::array<Plain, 13> kPlain{{{"memory_total", "memory_total", "bytes", 1},
                                        {"memory_free", "memory_free", "bytes", 1},
                                        {"memory_used", "memory_used", "bytes", 1},
                                        {"utilisation", "utilisation", "percent", 1},
                                        {"memory_utilisation", "memory_utilisation", "percent", 1},
                                        {"temperature", "temperature", "celsius", 1},
                                        {"clock_sm", "clock_sm", "megahertz", 1},
                                        {"power_milliwatts", "power", "watts", 1e-3},
                                        {"power_limit_milliwatts", "power_limit", "watts", 1e-3},
                                        {"power_default_limit_milliwatts", "power_default_limit", "watts", 1e-3},
                                        {"ecc_uncorrected", "ecc_uncorrected", "count", 1},
                                        {"remap_pending", "remap_pending", "count", 1},
                                        {"remap_failed", "remap_failed", "count", 1}}};

// One device of the helper. It belongs to the run when a process of the run is on it.
void Device(const Json& device, const Citation& cite, const RunTies& ties, FactStore& facts) {
  const auto index = device.find("gpu");
  if (index == device.end() || !index->is_number_unsigned() || index->get<std::uint64_t>() > 1024) return;
  const std::string prefix = "gpu." + std::to_string(index->get<std::uint64_t>()) + ".";
  std::vector<std::pair<std::int64_t, double>> processes;
  std::string because;
  if (const auto list = device.find("processes"); list != device.end() && list->is_array()) {
    for (const Json& process : *list) {
      if (!process.is_object() || processes.size() == 256) continue;
      const std::int64_t pid = process.value("pid", std::int64_t{0});
      if (pid <= 0) continue;
      processes.emplace_back(pid, process.value("memory", 0.0));
      if (const Tie* tie = FindTie(ties.pids, std::to_string(pid)); tie != nullptr && because.empty()) {
        because = "process " + tie->value + " of the run is on this device (" + tie->said + ")";
      }
    }
  }
  const auto push = [&](std::string name, double value, std::string_view unit, std::string text = {}) {
    facts.Add<Reading>({.name = prefix + std::move(name),
                        .value = value,
                        .text = std::move(text),
                        .unit = std::string(unit),
                        .live = true,
                        .belongs_because = because,
                        .cite = cite});
  };
  for (const std::string_view text : {"name", "uuid", "bus"}) {
    const auto it = device.find(text);
    if (it != device.end() && it->is_string()) push(std::string(text), 0, "", it->get<std::string>().substr(0, 128));
  }
  for (const Plain& plain : kPlain) {
    const auto it = device.find(plain.member);
    if (it != device.end() && it->is_number()) push(std::string(plain.name), it->get<double>() * plain.scale, plain.unit);
  }
  if (const auto bits = device.find("throttle"); bits != device.end() && bits->is_number_unsigned()) {
    for (const auto& [bit, name] : kReasons)
      push("throttle." + std::string(name), (bits->get<std::uint64_t>() & bit) != 0 ? 1 : 0, "");
  }
  for (const auto& [pid, memory] : processes) push("process." + std::to_string(pid), memory, "bytes");
}

void Amd(std::string_view line, const Citation& cite, FactStore& facts) {
  const std::vector<std::string_view> words = Columns(line);
  const auto value = words.size() == 4 ? ParseNumber(words[3]) : std::nullopt;
  if (!value) return;
  const std::string_view name = words[2] == "mem_info_vram_total"  ? "memory_total"
                                : words[2] == "mem_info_vram_used" ? "memory_used"
                                                                   : "utilisation";
  facts.Add<Reading>({.name = "gpu." + std::string(words[1]) + "." + std::string(name),
                      .value = *value,
                      .unit = name == "utilisation" ? "percent" : "bytes",
                      .live = true,
                      .cite = cite});
}

void Interpret(const CapturedText& captured, const RunTies& ties, FactStore& facts) {
  SmiSamples csv;
  ListingContext context{.facts = facts};
  std::size_t at = 0;
  std::uint64_t number = 0;
  while (at < captured.text.size()) {
    const std::size_t end = std::min(captured.text.find('\n', at), captured.text.size());
    const std::string_view line = captured.text.substr(at, end - at);
    const Citation cite{.source = captured.source, .begin = at, .end = end, .line = ++number};
    at = end + 1;
    if (line.starts_with("amd ")) {
      Amd(line, cite, facts);
    } else if (line.starts_with('{')) {
      const Json said = Json::parse(line, nullptr, false);
      if (!said.is_object()) continue;  // cut by the deadline
      try {
        if (said.contains("driver")) context.Text("gpu.driver_version", said.value("driver", ""), cite);
        Device(said, cite, ties, facts);
      } catch (const Json::exception&) {
        continue;  // a member of another kind than the helper writes
      }
    } else {
      csv.Take({.text = line, .cite = cite}, context);
    }
  }
  csv.Finish(context);
  for (Reading& reading : facts.Mutable<Reading>()) {
    if (reading.cite.source == captured.source) reading.live = true;
  }
}

}  // namespace

extern const Probe gpu;
constinit const Probe gpu{
    .id = "gpu",
    .title = "GPUs: use, memory, heat, slowed clocks, memory errors, processes on them",
    .reads = "NVML through a helper, else nvidia-smi; /sys/class/drm",
    .cost = "a tenth of a second; the driver may need a second to wake",
    .privileges = "none; the devices visible to this user",
    .collect = Collect,
    .interpret = Interpret,
};

}  // namespace assay::probes
