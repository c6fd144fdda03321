// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"

// Which kind of device the run computes on, and which it was meant to use. That a run is on the CPU excludes every cause that
// needs a device, so any sign of a device silences it.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 6> kYields{"cpu-only-run",          "gpu-never-used", "gpu-expected",
                                                  "device-asked-not-used", "threads-one",    "threads-over"};
constexpr std::array<std::string_view, 4> kDeviceKeys{"device", "accelerator", "device_type", "training_device"};

bool NamesCpu(std::string_view device) {
  const std::string lower = ToLower(Trim(device));
  return lower == "cpu" || lower == "cpu:0" || lower == "@numpy" || lower == "@intel64" || lower == "torch.device('cpu')" ||
         lower == "torch.device(\"cpu\")";
}

bool NamesDevice(std::string_view device) {
  const std::string lower = ToLower(Trim(device));
  constexpr std::array<std::string_view, 11> kStarts{"cuda", "gpu",   "mps",  "xpu", "npu", "hpu",
                                                     "tpu",  "@cupy", "rocm", "hip", "xla"};
  return std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view s) { return lower.starts_with(s); });
}

std::string_view DeviceIn(const SignatureHit& hit) {
  for (const std::string_view name : {"device", "only_device", "chainer_device"}) {
    if (!hit.Capture(name).empty()) return hit.Capture(name);
  }
  return {};
}

// A device for offloading, exporting or loading is not the one that computes.
const ConfigValue* ConfiguredDevice(const FactView& facts) {
  for (const std::string_view name : kDeviceKeys) {
    for (const ConfigValue* value : facts.Config(name)) {
      const std::string key = ToLower(value->key);
      constexpr std::array<std::string_view, 7> kOther{"offload", "map", "export", "eval", "reference", "data", "ema"};
      if (std::none_of(kOther.begin(), kOther.end(), [&](std::string_view o) { return key.find(o) != std::string::npos; }))
        return value;
    }
  }
  return nullptr;
}

// The person chose the CPU: by the device of the configuration, by a switch, or by hiding every device from the run.
const ConfigValue* ChosenCpu(const FactView& facts, const ConfigValue* configured) {
  if (configured != nullptr) return NamesCpu(configured->value) ? configured : nullptr;
  for (const std::string_view name : {"no_cuda", "use_cpu", "cpu_only", "no_gpu", "cpu"}) {
    for (const ConfigValue* value : facts.Config(name)) {
      if (SaysYes(value->value)) return value;
    }
  }
  for (const std::string_view name : {"JAX_PLATFORMS", "JAX_PLATFORM_NAME", "platform"}) {
    for (const ConfigValue* value : facts.Config(name)) {
      if (NamesCpu(value->value)) return value;
    }
  }
  for (const ConfigValue* value : facts.Config("CUDA_VISIBLE_DEVICES")) {
    const std::string_view list = Trim(value->value);
    if (list.empty() || list == "-1" || list == "\"\"" || list == "''") return value;
  }
  return nullptr;
}

bool CommandMayBeLost(const FactView& facts) {
  return std::any_of(facts.anomalies().begin(), facts.anomalies().end(), [&](const Anomaly& anomaly) {
    return anomaly.cite.source != kNoSource && facts.source(anomaly.cite.source).format == "job-script";
  });
}

bool UsesDevice(const FactView& facts) {
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    const std::string_view id = hit.signature->id;
    if (id == "device-model" || hit.signature->family == "device_memory" || hit.signature->family == "device_errors") return true;
    if (id == "device-chosen" && (hit.Capture("used") == "True" || NamesDevice(DeviceIn(hit)))) return true;
  }
  for (const Reading& reading : facts.All<Reading>()) {
    if (BelongsToRun(reading) && reading.name.starts_with("gpu.") && reading.name.ends_with(".utilisation") &&
        reading.value >= 10)
      return true;
  }
  for (const MetricTable& table : facts.tables()) {
    if (table.Find(Metric::kUtilisation) || table.Find(Metric::kLossScale)) return true;
  }
  return false;
}

// What the run itself said at start; nullptr when it said nothing.
struct Said {
  Citation cite;
  std::string text;
};
std::optional<Said> SaysCpu(const FactView& facts) {
  for (const SignatureHit* hit : facts.Hits("device-chosen")) {
    const std::string_view device = DeviceIn(*hit);
    if (NamesCpu(device)) return Said{hit->cite, "the log names the device " + Printable(device, 20)};
    if (hit->Capture("used") == "False") return Said{hit->cite, "the trainer says that it uses no device"};
  }
  for (const SignatureHit* hit : facts.Hits("gpu-not-used")) return Said{hit->cite, "the framework says that no device is used"};
  for (const SignatureHit* hit : facts.Hits("library-versions")) {
    for (const auto& [name, version] : hit->captures) {
      if (name.find("torch") != std::string::npos && version.find("+cpu") != std::string::npos) {
        return Said{hit->cite, "the build " + Printable(version, 30) + " has no support for devices"};
      }
    }
  }
  return std::nullopt;
}

void LookAtThreads(const FactView& facts, bool cpu, Findings& out) {
  constexpr std::array<std::string_view, 3> kThreads{"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"};
  std::optional<double> threads;
  Citation cite;
  for (const SignatureHit* hit : facts.Hits("threads-set-to-one")) {
    threads = ParseNumber(hit->Capture("thread_count"));
    cite = hit->cite;
  }
  if (const ConfigValue* value = facts.FirstConfig(kThreads)) {
    threads = ParseNumber(Trim(value->value));
    cite = value->cite;
  }
  if (!threads) {
    out.NotChecked("threads-one", "neither the log nor the launch script says how many threads a process has");
    out.NotChecked("threads-over", "neither the log nor the launch script says how many threads a process has");
    return;
  }
  if (*threads == 1 && cpu)
    out.Add("device-use", "threads-one", "The run computes on the CPU with one thread per process.", {cite});
  constexpr std::array<std::string_view, 2> kCores{"cpus-per-task", "cpus_per_task"};
  constexpr std::array<std::string_view, 3> kProcesses{"nproc_per_node", "ntasks-per-node", "num_processes"};
  const ConfigValue* cores = facts.FirstConfig(kCores);
  const ConfigValue* processes = facts.FirstConfig(kProcesses);
  const double core_count = cores == nullptr ? 0 : ParseNumber(Trim(cores->value)).value_or(0);
  const double process_count = processes == nullptr ? 1 : ParseNumber(Trim(processes->value)).value_or(1);
  // Tasks of their own have cores of their own; processes that one task starts share them.
  const bool share = processes != nullptr && !ContainsIgnoreCase(processes->key, "ntasks");
  if (!(core_count >= 1)) return;
  const double wanted = *threads * (share ? process_count : 1);
  if (wanted > 2 * core_count) {
    out.Add("device-use", "threads-over",
            fmt::format("{} threads were asked for on {} granted cores.", FormatNumber(wanted), FormatNumber(core_count)),
            {cite, cores->cite});
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const ConfigValue* configured = ConfiguredDevice(facts);
  std::optional<Said> cpu = SaysCpu(facts);
  const bool uses = UsesDevice(facts);
  if (!cpu && configured != nullptr && NamesCpu(configured->value))
    cpu = Said{configured->cite, "the config sets the device " + Printable(configured->value, 20)};
  if (!cpu) {
    // The CPU library of old prints its primitives: the model itself runs there.
    std::size_t count = 0;
    for (const SignatureHit* hit : facts.Hits("onednn-verbose")) {
      const bool trains = hit->quote.find("mkldnn_verbose,exec,") != std::string::npos &&
                          hit->quote.find("forward_training") != std::string::npos;
      if (trains && ++count == 5) cpu = Said{hit->cite, "the layers of the model run as primitives of the CPU library"};
    }
  }
  if (cpu && !uses) {
    out.Add("device-use", "cpu-only-run", fmt::format("The run computes on the CPU: {}.", cpu->text), {cpu->cite});
    out.Add("device-use", "gpu-never-used", fmt::format("No device was used: {}.", cpu->text), {cpu->cite});
  } else if (!cpu && !uses) {
    out.NotChecked("cpu-only-run", "nothing says which device the run computes on");
    out.NotChecked("gpu-never-used", "nothing says which device the run computes on");
  }
  // Scripts that print their settings line by line: "device = 'cuda'".
  const std::vector<const SignatureHit*> printed = facts.Hits("device-setting");
  if (configured == nullptr && !printed.empty() && NamesDevice(printed.back()->Capture("asked"))) {
    out.Add("device-use", "gpu-expected",
            fmt::format("The run prints that its device is to be {}.", Printable(printed.back()->Capture("asked"), 20)),
            {printed.back()->cite});
  }
  if (configured != nullptr && NamesDevice(configured->value) && CommandMayBeLost(facts)) {
    out.NotChecked("gpu-expected", "the job script is damaged, and its command may choose another device than the config");
  } else if (configured != nullptr && NamesDevice(configured->value)) {
    out.Add("device-use", "gpu-expected", fmt::format("The config asks for the device {}.", Printable(configured->value, 20)),
            {configured->cite});
  }
  constexpr std::array<std::string_view, 6> kRequests{"gres",          "gpus",          "gpus-per-node",
                                                      "gpus-per-task", "gpus_per_node", "nvidia.com/gpu"};
  // A job may be given a device that its command does not want: then nothing fell back.
  const bool chosen = ChosenCpu(facts, configured) != nullptr;
  if (const ConfigValue* request = facts.FirstConfig(kRequests); request != nullptr && !chosen && !CommandMayBeLost(facts)) {
    const bool asks = request->origin == ConfigValue::Origin::kJobScript && !SaysNo(request->value) &&
                      (!ContainsIgnoreCase(request->key, "gres") || ContainsIgnoreCase(request->value, "gpu"));
    if (asks)
      out.Add("device-use", "gpu-expected", fmt::format("The job asks for {}.", Printable(request->value, 40)), {request->cite});
  }
  if (const Finding* never = out.Find("gpu-never-used")) {
    if (const Finding* expected = out.Find("gpu-expected")) {
      out.Add("device-use", "device-asked-not-used", "The run was to use a device and computes on the CPU: " + cpu->text + ".",
              {never->cites.front(), expected->cites.front()});
    }
  }
  LookAtThreads(facts, cpu.has_value() && !uses, out);
}

}  // namespace

extern const Rule device_use;
constinit const Rule device_use{
    .id = "device-use",
    .title = "Which kind of device the run computes on",
    .looks_at = "start of the log, config, job request and library builds",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
