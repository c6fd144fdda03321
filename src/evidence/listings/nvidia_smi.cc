// SPDX-License-Identifier: Apache-2.0
#include "evidence/listings/nvidia_smi.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace assay {
namespace {

bool IsIndex(std::string_view text) {
  if (text.empty() || text.size() > 3) return false;
  return std::all_of(text.begin(), text.end(), IsDigit);
}

// The number before `unit` where a number stands directly before it: "52C", "128W", "99%", "2425MiB".
std::optional<double> Before(std::string_view text, std::string_view unit) {
  const std::size_t at = text.find(unit);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && (IsDigit(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return ParseNumber(text.substr(begin, at - begin));
}

constexpr double kMiB = 1024.0 * 1024.0;

struct Wanted {
  std::string_view column;  // of --query-gpu
  std::string_view name;
  std::string_view unit;
};
constexpr std::array<Wanted, 21> kWanted{{
    {"utilization.gpu", "utilisation", "percent"},
    {"utilization.memory", "memory_utilisation", "percent"},
    {"memory.used", "memory_used", "bytes"},
    {"memory.total", "memory_total", "bytes"},
    {"memory.free", "memory_free", "bytes"},
    {"temperature.gpu", "temperature", "celsius"},
    {"power.draw", "power", "watts"},
    {"power.draw.instant", "power", "watts"},
    {"power.draw.average", "power", "watts"},
    {"enforced.power.limit", "power_limit", "watts"},
    {"power.limit", "power_limit", "watts"},
    {"power.default_limit", "power_default_limit", "watts"},
    {"clocks.current.sm", "clock_sm", "megahertz"},
    {"clocks.sm", "clock_sm", "megahertz"},
    {"clocks.current.memory", "clock_memory", "megahertz"},
    {"clocks.mem", "clock_memory", "megahertz"},
    {"ecc.errors.uncorrected.volatile.total", "ecc_uncorrected", "count"},
    {"retired_pages.pending", "remap_pending", "count"},
    {"remapped_rows.pending", "remap_pending", "count"},
    {"remapped_rows.failure", "remap_failed", "count"},
    {"pcie.link.width.current", "pcie_width", "count"},
}};

// "Active", "Yes", "0x0000000000000008", "82", "295.17 W", "31877 MiB": the value in the unit of the fact.
std::optional<double> Cell(std::string_view cell, std::string_view header_unit) {
  cell = Trim(cell);
  if (cell == "Active" || cell == "Yes") return 1.0;
  if (cell == "Not Active" || cell == "No") return 0.0;
  const auto number = ParseNumberPrefix(cell);
  if (!number || !std::isfinite(number->value)) return std::nullopt;
  std::string_view unit = Trim(cell.substr(number->length));
  if (unit.empty()) unit = header_unit;  // --format=nounits leaves the unit to the header
  if (unit == "MiB") return number->value * kMiB;
  if (unit == "KiB") return number->value * 1024.0;
  if (unit == "GiB") return number->value * kMiB * 1024.0;
  if (unit.empty() || unit == "%" || unit == "W" || unit == "MHz" || unit == "C") return number->value;
  return std::nullopt;
}

std::string_view ThrottleReason(std::string_view column) {
  for (const std::string_view prefix : {"clocks_event_reasons.", "clocks_throttle_reasons."}) {
    if (column.starts_with(prefix)) return column.substr(prefix.size());
  }
  return {};
}

bool IsBadThrottle(std::string_view name) {
  for (const std::string_view reason : {".throttle.hw_slowdown", ".throttle.hw_thermal_slowdown",
                                        ".throttle.hw_power_brake_slowdown", ".throttle.sw_thermal_slowdown"}) {
    if (name.ends_with(reason)) return true;
  }
  return false;
}

// dmon's columns: -s p, u, c, v, m.
std::pair<std::string_view, std::string_view> OfDmon(std::string_view column) {
  if (column == "sm") return {"utilisation", "percent"};
  if (column == "mem") return {"memory_utilisation", "percent"};
  if (column == "pwr") return {"power", "watts"};
  if (column == "gtemp" || column == "temp") return {"temperature", "celsius"};
  if (column == "pclk") return {"clock_sm", "megahertz"};
  if (column == "mclk") return {"clock_memory", "megahertz"};
  if (column == "fb") return {"memory_used", "bytes"};
  return {};
}

}  // namespace

bool SmiTable::Take(const ListingLine& line, ListingContext& context) {
  const std::string_view text = Trim(line.text);
  if (text.starts_with("GPU ") || text.starts_with("MIG ")) return ListRow(line, context);
  if (text.starts_with('+') && text.ends_with('+') && text.find_first_not_of("+-=") == std::string_view::npos) return true;
  if (!text.starts_with('|') || !text.ends_with('|') || text.size() < 20) return false;
  if (const std::size_t at = text.find("NVIDIA-SMI "); at != std::string_view::npos) {
    part_ = Part::kDevices;
    gpu_.clear();
    for (const auto& [label, name] : {std::pair<std::string_view, std::string_view>{"Driver Version: ", "gpu.driver_version"},
                                      {"CUDA Version: ", "gpu.cuda_version"}}) {
      const std::size_t value = text.find(label);
      if (value == std::string_view::npos) continue;
      const auto words = Columns(text.substr(value + label.size()));
      if (!words.empty() && IsDigit(words[0][0])) context.Text(std::string(name), words[0], line.cite);
    }
    return true;
  }
  if (text.find("Processes:") != std::string_view::npos) {
    part_ = Part::kProcesses;
    return true;
  }
  if (part_ == Part::kNone) return false;
  if (part_ == Part::kProcesses) {
    ProcessRow(line, context);
    return true;
  }
  const std::vector<std::string_view> cells = Split(text.substr(1, text.size() - 2), '|');
  if (cells.size() != 3) return true;
  const std::vector<std::string_view> words = Columns(cells[0]);
  if (words.size() >= 2 && IsIndex(words[0]) && cells[1].find(':') != std::string_view::npos) {
    FirstRow(cells[0], cells[1], cells[2], line, context);
  } else if (!gpu_.empty() && cells[1].find("MiB /") != std::string_view::npos) {
    SecondRow(cells[0], cells[1], cells[2], line, context);
    gpu_.clear();
  }
  return true;
}

void SmiTable::FirstRow(std::string_view device, std::string_view bus, std::string_view ecc, const ListingLine& line,
                        ListingContext& context) {
  gpu_ = "gpu." + std::string(Columns(device)[0]) + ".";
  std::string_view name = Trim(FromColumn(device, 1));
  for (const std::string_view mode : {" On", " Off", " N/A"}) {
    if (name.ends_with(mode)) name = Trim(name.substr(0, name.size() - mode.size()));
  }
  context.Text(gpu_ + "name", name, line.cite);
  context.Text(gpu_ + "bus", Columns(bus)[0], line.cite);
  if (const auto count = ParseInteger(Trim(ecc)); count && *count >= 0) {
    context.Number(gpu_ + "ecc_uncorrected", static_cast<double>(*count), "count", line.cite);
  }
}

void SmiTable::SecondRow(std::string_view power, std::string_view memory, std::string_view use, const ListingLine& line,
                         ListingContext& context) const {
  if (const auto value = Before(power, "C ")) context.Number(gpu_ + "temperature", *value, "celsius", line.cite);
  if (const auto value = Before(power, "W /")) context.Number(gpu_ + "power", *value, "watts", line.cite);
  if (const std::size_t slash = power.find('/', power.find("W /")); slash != std::string_view::npos) {
    if (const auto value = Before(power.substr(slash), "W")) context.Number(gpu_ + "power_limit", *value, "watts", line.cite);
  }
  const std::size_t slash = memory.find('/');
  if (const auto value = Before(memory.substr(0, slash), "MiB"))
    context.Number(gpu_ + "memory_used", *value * kMiB, "bytes", line.cite);
  if (const auto value = Before(memory.substr(slash), "MiB"))
    context.Number(gpu_ + "memory_total", *value * kMiB, "bytes", line.cite);
  if (const auto value = Before(use, "%")) context.Number(gpu_ + "utilisation", *value, "percent", line.cite);
}

// "|    0   N/A  N/A     18233      C   python        2401MiB |", before driver 450 without the two MIG columns.
bool SmiTable::ProcessRow(const ListingLine& line, ListingContext& context) const {
  const std::string_view text = Trim(line.text);
  const std::string_view row = text.substr(1, text.size() - 2);
  const std::vector<std::string_view> words = Columns(row);
  if (words.size() < 4 || !IsIndex(words[0])) return false;
  const auto known = [](std::string_view word) {
    return word == "C" || word == "G" || word == "C+G" || word == "M" || word == "M+C";
  };
  std::size_t type = 2;
  while (type < words.size() && type <= 4 && !known(words[type])) ++type;
  if (type >= words.size() || type > 4) return false;
  const auto pid = ParseInteger(words[type - 1]);
  if (!pid || *pid <= 0) return false;
  std::string_view name = Trim(FromColumn(row, type + 1));
  const auto memory = Before(words.back(), "MiB");
  if (memory || words.back() == "N/A") name = Trim(name.substr(0, name.size() - std::min(name.size(), words.back().size())));
  context.Number("gpu." + std::string(words[0]) + ".process." + std::to_string(*pid), memory.value_or(0) * kMiB,
                 memory ? "bytes" : "", line.cite, std::string(name.substr(0, 256)));
  return true;
}

// "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-…)", "  MIG 1g.5gb     Device  0: (UUID: MIG-…)".
bool SmiTable::ListRow(const ListingLine& line, ListingContext& context) {
  const std::string_view text = Trim(line.text);
  const std::size_t uuid = text.find(" (UUID: ");
  const std::size_t colon = text.find(':');
  if (uuid == std::string_view::npos || !text.ends_with(')') || colon > uuid) return false;
  if (text.starts_with("GPU ")) {
    const std::string_view index = text.substr(4, colon - 4);
    if (!IsIndex(index)) return false;
    gpu_ = "gpu." + std::string(index) + ".";
    context.Text(gpu_ + "name", Trim(text.substr(colon + 1, uuid - colon - 1)), line.cite);
    return true;
  }
  const std::vector<std::string_view> words = Columns(text.substr(0, colon));
  if (gpu_.empty() || words.size() != 4 || words[2] != "Device" || !IsIndex(words[3])) return false;
  context.Text(gpu_ + "mig." + std::string(words[3]), words[1], line.cite);
  return true;
}

bool SmiSamples::Header(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return false;
  std::vector<std::string> columns;
  std::vector<std::string> units;
  bool known = false;
  for (const std::string_view cell : Split(text, ',')) {
    std::string_view name = Trim(cell);
    std::string_view unit;
    if (const std::size_t bracket = name.find(" ["); bracket != std::string_view::npos && name.ends_with(']')) {
      unit = name.substr(bracket + 2, name.size() - bracket - 3);
      name = name.substr(0, bracket);
    }
    if (name.empty() || name.find(' ') != std::string_view::npos || columns.size() > 128) return false;
    const bool wanted = std::any_of(kWanted.begin(), kWanted.end(), [&](const Wanted& w) { return w.column == name; });
    known = known || wanted || !ThrottleReason(name).empty();
    columns.emplace_back(name);
    units.emplace_back(unit);
  }
  if (!known) return false;
  columns_ = std::move(columns);
  units_ = std::move(units);
  csv_ = true;
  dmon_ = false;
  return true;
}

// "# gpu    pwr  gtemp  mtemp     sm    mem", below it the units; "#Date       Time        gpu …" with -o DT.
bool SmiSamples::DmonHeader(std::string_view text) {
  if (!text.starts_with('#')) return false;
  const std::vector<std::string_view> words = Columns(text.substr(1));
  if (dmon_ && std::find(words.begin(), words.end(), "Idx") != words.end()) return true;
  if (std::find(words.begin(), words.end(), "gpu") == words.end() || std::find(words.begin(), words.end(), "sm") == words.end())
    return false;
  columns_.assign(words.begin(), words.end());
  csv_ = false;
  dmon_ = true;
  return true;
}

std::string SmiSamples::IndexOf(const std::vector<std::string_view>& cells) {
  for (const std::string_view key : {"index", "gpu"}) {
    const auto at = std::find(columns_.begin(), columns_.end(), key);
    if (at == columns_.end()) continue;
    const std::string_view index = Trim(cells[static_cast<std::size_t>(at - columns_.begin())]);
    return IsIndex(index) ? std::string(index) : std::string();
  }
  for (const std::string_view key : {"uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id"}) {
    const auto at = std::find(columns_.begin(), columns_.end(), key);
    if (at == columns_.end()) continue;
    const std::string_view id = Trim(cells[static_cast<std::size_t>(at - columns_.begin())]);
    auto known = std::find(devices_.begin(), devices_.end(), id);
    if (known == devices_.end()) {
      if (devices_.size() == 128 || id.size() > 64) return {};
      devices_.emplace_back(id);
      known = devices_.end() - 1;
    }
    return std::to_string(known - devices_.begin());
  }
  return "0";
}

bool SmiSamples::Take(const ListingLine& line, ListingContext& context) {
  if (DmonHeader(line.text) || Header(line.text)) return true;
  if (!csv_ && !dmon_) return false;
  const std::vector<std::string_view> cells = csv_ ? Split(line.text, ',') : Columns(line.text);
  if (cells.size() != columns_.size()) return false;
  const std::string index = IndexOf(cells);
  if (index.empty()) return false;
  Sample sample{.time = context.time, .cite = line.cite};
  bool slowed = false;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view column = columns_[i];
    if (column == "timestamp") {
      if (const auto time = ParseTimePrefix(Trim(cells[i]))) sample.time = time->time;
      continue;
    }
    if (dmon_) {
      const auto [name, unit] = OfDmon(column);
      const auto value = name.empty() ? std::nullopt : ParseNumber(cells[i]);
      if (!value || !std::isfinite(*value)) continue;
      sample.values.emplace_back("gpu." + index + "." + std::string(name) + "|" + std::string(unit),
                                 *value * (name == "memory_used" ? kMiB : 1));
      continue;
    }
    if (column == "name" || column == "gpu_name") {
      sample.texts.emplace_back("gpu." + index + ".name", std::string(Trim(cells[i]).substr(0, 128)));
      continue;
    }
    const std::string_view reason = ThrottleReason(column);
    const auto wanted = std::find_if(kWanted.begin(), kWanted.end(), [&](const Wanted& w) { return w.column == column; });
    if (wanted == kWanted.end() && (reason.empty() || reason == "active" || reason == "supported")) continue;
    const auto value = Cell(cells[i], units_[i]);
    if (!value) continue;
    const std::string name =
        "gpu." + index + "." + (reason.empty() ? std::string(wanted->name) : "throttle." + std::string(reason.substr(0, 64)));
    slowed = slowed || (*value > 0 && IsBadThrottle(name));
    sample.values.emplace_back(name + "|" + std::string(reason.empty() ? wanted->unit : ""), *value);
  }
  if (sample.values.empty() && sample.texts.empty()) return false;
  sample.number = rows_++;
  sample.turn = turns_[index]++;
  const bool in_stride = sample.turn % stride_ == 0;
  if (slowed && !in_stride && slowed_.size() < kKeptSamples) slowed_.push_back(sample);
  if (!in_stride) return true;
  kept_.push_back(std::move(sample));
  if (kept_.size() > kKeptSamples) {
    stride_ *= 2;
    std::erase_if(kept_, [&](const Sample& s) { return s.turn % stride_ != 0; });
  }
  return true;
}

void SmiSamples::Finish(ListingContext& context) {
  for (Sample& s : slowed_) {
    if (s.turn % stride_ != 0) kept_.push_back(std::move(s));
  }
  std::sort(kept_.begin(), kept_.end(), [](const Sample& a, const Sample& b) { return a.number < b.number; });
  const auto outer = context.time;
  std::vector<std::pair<std::string, std::string>> said;  // texts do not change from row to row
  for (const Sample& sample : kept_) {
    context.time = sample.time;
    for (const auto& text : sample.texts) {
      if (std::find(said.begin(), said.end(), text) != said.end()) continue;
      if (said.size() < 128) said.push_back(text);
      context.Text(text.first, text.second, sample.cite);
    }
    for (const auto& [name, value] : sample.values) {
      const std::size_t bar = name.rfind('|');
      context.Number(name.substr(0, bar), value, name.substr(bar + 1), sample.cite);
    }
  }
  context.time = outer;
  kept_.clear();
  slowed_.clear();
}

}  // namespace assay
