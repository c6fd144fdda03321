// SPDX-License-Identifier: Apache-2.0
#include "evidence/listings/smi_report.h"

#include <array>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "evidence/codecs/system_time.h"

namespace assay {
namespace {

constexpr int kMaxDevices = 1024;

struct Wanted {
  std::string_view section;  // the heading's beginning
  std::string_view key;
  std::string_view name;
  std::string_view unit;
};
constexpr std::array<Wanted, 15> kWanted{{
    {"utilization", "Gpu", "utilisation", "percent"},
    {"utilization", "GPU", "utilisation", "percent"},
    {"utilization", "Memory", "memory_utilisation", "percent"},
    {"fb memory usage", "Total", "memory_total", "bytes"},
    {"fb memory usage", "Used", "memory_used", "bytes"},
    {"fb memory usage", "Free", "memory_free", "bytes"},
    {"temperature", "GPU Current Temp", "temperature", "celsius"},
    {"clocks", "SM", "clock_sm", "megahertz"},
    {"clocks", "Memory", "clock_memory", "megahertz"},
    {"power readings", "Power Draw", "power", "watts"},
    {"power readings", "Enforced Power Limit", "power_limit", "watts"},
    {"power readings", "Default Power Limit", "power_default_limit", "watts"},
    {"gpu power readings", "Power Draw", "power", "watts"},
    {"gpu power readings", "Current Power Limit", "power_limit", "watts"},
    {"gpu power readings", "Default Power Limit", "power_default_limit", "watts"},
}};

// "HW Thermal Slowdown" as the queries call it.
std::string_view Reason(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kReasons{
      {{"HW Slowdown", "hw_slowdown"},
       {"HW Thermal Slowdown", "hw_thermal_slowdown"},
       {"HW Power Brake Slowdown", "hw_power_brake_slowdown"},
       {"SW Thermal Slowdown", "sw_thermal_slowdown"},
       {"SW Power Cap", "sw_power_cap"}}};
  for (const auto& [said, name] : kReasons) {
    if (key == said) return name;
  }
  return {};
}

}  // namespace

void SmiReport::Value(std::string_view key, std::string_view value, const ListingLine& line, ListingContext& context) const {
  if (gpu_.empty()) return;
  if (section_.starts_with("clocks event reasons") || section_.starts_with("clocks throttle reasons")) {
    const std::string_view reason = Reason(key);
    if (!reason.empty() && (value == "Active" || value == "Not Active"))
      context.Number(gpu_ + "throttle." + std::string(reason), value == "Active" ? 1 : 0, "", line.cite);
    return;
  }
  if (key == "Product Name") context.Text(gpu_ + "name", value, line.cite);
  for (const Wanted& wanted : kWanted) {
    if (section_ != wanted.section || key != wanted.key) continue;
    const auto number = ParseNumberPrefix(value);
    if (!number || !std::isfinite(number->value)) return;  // "N/A"
    const bool mebibytes = Trim(value.substr(number->length)) == "MiB";
    if (wanted.unit == "bytes" && !mebibytes) return;
    context.Number(gpu_ + std::string(wanted.name), number->value * (mebibytes ? 1024.0 * 1024.0 : 1), std::string(wanted.unit),
                   line.cite);
    return;
  }
}

bool SmiReport::Take(const ListingLine& line, ListingContext& context) {
  const std::string_view text = Trim(line.text);
  if (text.find("NVSMI LOG=") != std::string_view::npos && text.starts_with('=')) {
    inside_ = true;
    devices_ = 0;
    gpu_.clear();
    section_.clear();
    return true;
  }
  if (!inside_) return false;
  const bool indented = line.text.starts_with(' ') || line.text.starts_with('\t');
  const std::size_t colon = text.find(" : ");
  if (!indented) {
    if (text.starts_with("GPU ") && text.find(':') != std::string_view::npos && devices_ < kMaxDevices) {
      gpu_ = "gpu." + std::to_string(devices_++) + ".";
      section_.clear();
      return true;
    }
    if (colon == std::string_view::npos) {
      inside_ = false;
      return false;
    }
    if (text.starts_with("Timestamp")) {
      if (const auto time = ParseSystemTime(Trim(text.substr(colon + 3)))) context.time = time->time;
    }
    return true;
  }
  if (colon == std::string_view::npos) {
    section_ = ToLower(text.substr(0, 64));
  } else {
    Value(Trim(text.substr(0, colon)), Trim(text.substr(colon + 3)), line, context);
  }
  return true;
}

}  // namespace assay
