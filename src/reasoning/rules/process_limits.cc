// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 4> kYields{"process-limit-low", "cut-at-limit", "memlock-limit", "stack-limit"};

void LookAtReadings(const FactView& facts, Findings& out) {
  for (const Reading& reading : facts.All<Reading>()) {
    if (!reading.name.starts_with("limit.") || !std::isfinite(reading.value) || !BelongsToRun(reading)) continue;
    const std::string_view name = std::string_view(reading.name).substr(6);
    // Those of stack and core files are finite everywhere.
    if (name == "stack" || name == "core") continue;
    constexpr double kLowLockedMemory = 67108864;  // the default of 64 KiB to 64 MiB
    if (name == "locked_memory" && out.Has("memlock-limit")) continue;
    if (name == "locked_memory" && reading.value > kLowLockedMemory) continue;
    out.Add("process-limits", "process-limit-low",
            fmt::format("The soft limit of {} is {}.", ToLower(name) == "open_files" ? "open files" : Printable(name, 40),
                        reading.unit == "bytes" ? FormatBytes(reading.value) : FormatNumber(reading.value)),
            {reading.cite});
    if (name == "file_size") {
      for (const RunFile& file : facts.All<RunFile>()) {
        if (static_cast<double>(file.size) != reading.value || reading.value < 1) continue;
        out.Add(
            "process-limits", "cut-at-limit",
            fmt::format("{} ends at exactly the limit of {}.", facts.source(file.cite.source).path, FormatBytes(reading.value)),
            {file.cite, reading.cite});
      }
    }
  }
}

// Limits of address space and data that the script sets itself: hardly anybody means to raise one so.
void LookAtScript(const FactView& facts, Findings& out) {
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    if (value.origin != ConfigValue::Origin::kJobScript || !(value.key == "ulimit" || value.key.ends_with(".ulimit"))) continue;
    const std::string_view text = Trim(value.value);
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view flags = text.substr(0, blank);
    const auto number = ParseInteger(Trim(text.substr(blank)));
    if (!number || *number <= 0 || flags.find_first_of("vd") == std::string_view::npos) continue;
    out.Add("process-limits", "process-limit-low",
            fmt::format("The script limits the process's memory to {} (ulimit {}).",
                        FormatBytes(static_cast<double>(*number) * 1024), Printable(text, 40)),
            {value.cite});
  }
}

const Reading* FiniteLimit(const FactView& facts, std::string_view name) {
  for (const Reading& reading : facts.All<Reading>()) {
    if (reading.name == name && std::isfinite(reading.value) && BelongsToRun(reading)) return &reading;
  }
  return nullptr;
}

// The fault address of an overrun stack lies just below its pointer.
void LookAtFaults(const FactView& facts, Findings& out) {
  constexpr std::uint64_t kNear = 65536;
  for (const SignatureHit* hit : facts.Hits("kernel-segfault-python")) {
    if (!BelongsToRun(*hit)) continue;
    std::uint64_t address = 0;
    std::uint64_t pointer = 0;
    const std::string_view a = hit->Capture("address");
    const std::string_view p = hit->Capture("sp");
    if (std::from_chars(a.data(), a.data() + a.size(), address, 16).ec != std::errc()) continue;
    if (std::from_chars(p.data(), p.data() + p.size(), pointer, 16).ec != std::errc()) continue;
    if (address > pointer || pointer - address > kNear) continue;
    out.Add("process-limits", "stack-limit",
            fmt::format("The fault at {} lies {} bytes below the stack pointer.", a, pointer - address), {hit->cite});
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  for (const SignatureHit* hit : facts.Hits("memory-lock-refused")) {
    const Reading* limit = FiniteLimit(facts, "limit.locked_memory");
    if (end.Of(*hit) != Standing::kEnd) continue;
    if (limit == nullptr) {
      out.NotChecked("memlock-limit", "the limit of locked memory of the process is not known");
      continue;
    }
    out.Add("process-limits", "memlock-limit",
            fmt::format("Memory could not be registered, and only {} may be locked.", FormatBytes(limit->value)),
            {hit->cite, limit->cite});
  }
  LookAtReadings(facts, out);
  LookAtScript(facts, out);
  LookAtFaults(facts, out);
}

}  // namespace

extern const Rule process_limits;
constinit const Rule process_limits{
    .id = "process-limits",
    .title = "Limits of the process that a run met",
    .looks_at = "readings of the limits, files of exactly the limit, refused registrations and faults next to the stack",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
