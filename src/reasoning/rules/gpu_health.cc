// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/gpu_samples.h"
#include "reasoning/rules/rule.h"

// Devices that slow themselves down, run below their clock or power, or hold damaged memory.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 5> kYields{"gpu-throttle-hw", "clock-low", "power-cap-low", "ecc-uncorrected",
                                                  "device-spill"};

constexpr std::array<std::string_view, 4> kReasons{"throttle.hw_slowdown", "throttle.hw_thermal_slowdown",
                                                   "throttle.hw_power_brake_slowdown", "throttle.sw_thermal_slowdown"};
constexpr double kLoaded = 50;  // percent of utilisation: an idle device may do as it likes
constexpr double kFullyLoaded = 90;
constexpr double kLowClock = 0.8;
constexpr double kLowCap = 0.9;

std::string ReasonText(std::string_view name) {
  std::string text(name.substr(name.find('.') + 1));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void LookAtThrottling(int index, const std::vector<GpuSample>& samples, Findings& out) {
  std::size_t loaded = 0;
  std::vector<const GpuSample*> slowed;
  std::string_view reason;
  for (const GpuSample& s : samples) {
    if (s.Value("utilisation", 100) < kLoaded) continue;
    ++loaded;
    const auto active =
        std::find_if(kReasons.begin(), kReasons.end(), [&](std::string_view name) { return s.Value(name, 0) > 0; });
    if (active == kReasons.end()) continue;
    slowed.push_back(&s);
    if (reason.empty()) reason = *active;
  }
  // One sample among many is a moment, as when a fan starts.
  if (slowed.empty() || (loaded > 10 && slowed.size() < 2)) return;
  out.Add("gpu-health", "gpu-throttle-hw",
          fmt::format("Device {} reported {} as active in {} of {} samples under load.", index, ReasonText(reason), slowed.size(),
                      loaded),
          {slowed.front()->cite, slowed.back()->cite});
}

void LookAtClock(int index, const std::vector<GpuSample>& samples, Findings& out) {
  std::vector<double> clocks;
  for (const GpuSample& s : samples) {
    if (s.Value("utilisation", 0) >= kFullyLoaded && s.Value("clock_sm", 0) > 0) clocks.push_back(s.Value("clock_sm", 0));
  }
  if (clocks.size() < 10) return;
  std::sort(clocks.begin(), clocks.end());
  const double usual = clocks[clocks.size() * 9 / 10];
  std::vector<const GpuSample*> low;
  std::vector<double> low_clocks;
  for (const GpuSample& s : samples) {
    const double clock = s.Value("clock_sm", 0);
    if (s.Value("utilisation", 0) < kFullyLoaded || clock <= 0 || clock >= kLowClock * usual) continue;
    low.push_back(&s);
    low_clocks.push_back(clock);
  }
  if (low.size() < 3 || low.size() * 10 < clocks.size()) return;
  out.Add("gpu-health", "clock-low",
          fmt::format(
              "The clock of device {} is at {:.0f} MHz in {} of {} fully loaded samples, while it reached {:.0f} MHz in others.",
              index, Median(low_clocks), low.size(), clocks.size(), usual),
          {low.front()->cite, low.back()->cite});
}

void LookAtCounters(int index, const std::vector<GpuSample>& samples, Findings& out) {
  for (const GpuSample& s : samples) {
    const double errors = s.Value("ecc_uncorrected", 0);
    if (errors > 0) {
      out.Add("gpu-health", "ecc-uncorrected",
              fmt::format("Device {} counts {} uncorrected memory errors.", index, FormatNumber(errors)), {s.cite});
      return;
    }
    if (s.Value("remap_pending", 0) > 0 || s.Value("remap_failed", 0) > 0) {
      out.Add("gpu-health", "ecc-uncorrected", fmt::format("A row remap of device {} is pending or has failed.", index),
              {s.cite});
      return;
    }
  }
}

// The limit against the board's default, else against devices of the same name.
void LookAtPower(const FactView& facts, const std::map<int, std::vector<GpuSample>>& devices, Findings& out) {
  const auto last = [](const std::vector<GpuSample>& samples, std::string_view name) -> const GpuSample* {
    const GpuSample* found = nullptr;
    for (const GpuSample& s : samples) found = s.Value(name, 0) > 0 ? &s : found;
    return found;
  };
  std::map<int, std::string> names;
  for (const Reading& reading : facts.All<Reading>()) {
    for (const auto& [index, samples] : devices) {
      if (reading.name == fmt::format("gpu.{}.name", index)) names[index] = reading.text;
    }
  }
  for (const auto& [index, samples] : devices) {
    const GpuSample* limit = last(samples, "power_limit");
    if (limit == nullptr) continue;
    const double watts = limit->Value("power_limit", 0);
    if (const GpuSample* board = last(samples, "power_default_limit")) {
      const double standard = board->Value("power_default_limit", 0);
      if (watts < kLowCap * standard) {
        out.Add("gpu-health", "power-cap-low",
                fmt::format("The power limit of device {} is {:.0f} W, while the board's default is {:.0f} W.", index, watts,
                            standard),
                {limit->cite, board->cite});
      }
      continue;
    }
    std::vector<double> twins;
    Citation twin_cite;
    for (const auto& [other, other_samples] : devices) {
      const GpuSample* twin = last(other_samples, "power_limit");
      if (other == index || twin == nullptr || names[other] != names[index] || names[index].empty()) continue;
      twins.push_back(twin->Value("power_limit", 0));
      twin_cite = twin->cite;
    }
    if (twins.size() >= 2 && watts < kLowCap * Median(twins)) {
      out.Add("gpu-health", "power-cap-low",
              fmt::format("The power limit of device {} is {:.0f} W, while that of its {} twins is {:.0f} W.", index, watts,
                          twins.size(), Median(twins)),
              {limit->cite, twin_cite});
    }
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const auto devices = GpuSamples(facts);
  if (devices.empty()) {
    for (const std::string_view id : kYields) out.NotChecked(id, "no reading of a device belongs to this run");
    return;
  }
  for (const auto& [index, samples] : devices) {
    const std::vector<GpuSample> during = DuringTraining(facts, samples);
    LookAtThrottling(index, during, out);
    LookAtClock(index, during, out);
    LookAtCounters(index, samples, out);
    for (const GpuSample& s : during) {
      const double used = s.Value("memory_used", 0);
      const double total = s.Value("memory_total", 0);
      if (s.Value("shared_memory_used", 0) < 256.0 * 1024 * 1024 || total <= 0 || used < 0.98 * total) continue;
      out.Add("gpu-health", "device-spill",
              fmt::format("Device {} is full ({} of {}) and uses {} of the host's memory.", index, FormatBytes(used),
                          FormatBytes(total), FormatBytes(s.Value("shared_memory_used", 0))),
              {s.cite});
      break;
    }
  }
  LookAtPower(facts, devices, out);
}

}  // namespace

extern const Rule gpu_health;
constinit const Rule gpu_health{
    .id = "gpu-health",
    .title = "Devices that slow themselves down or hold damaged memory",
    .looks_at = "readings of clocks, power limits, slowdown reasons and error counters",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
