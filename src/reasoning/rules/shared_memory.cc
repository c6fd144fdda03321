// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 4> kYields{"shm-error", "shm-small", "shm-full", "shm-ample"};

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kTiny = 64.5 * kMiB;   // the default of containers, as df rounds it
constexpr double kFull = 95;            // percent
constexpr double kAmple = 50;           // percent
constexpr double kRoomy = 1024 * kMiB;  // what is left free after that is no small share
constexpr double kSoon = 600;           // seconds

struct Seen {
  double size = 0;     // bytes
  double percent = 0;  // used
  std::optional<Time> time;
  Citation cite;
};

std::vector<Seen> ReadingsOfSharedMemory(const FactView& facts) {
  std::vector<Seen> all;
  for (const SignatureHit* hit : facts.Hits("df-shared-memory")) {
    const auto size = ParseByteSize(hit->Capture("total_size"));
    const auto percent = ParseNumber(hit->Capture("percent"));
    if (!size || !percent) continue;
    // Without -h df counts blocks of one KiB.
    const bool bare = ParseInteger(hit->Capture("total_size")).has_value();
    all.push_back({bare ? *size * 1024 : *size, *percent, hit->time, hit->cite});
  }
  for (const Reading& size : facts.All<Reading>()) {
    if (size.name != "disk./dev/shm.size" || !BelongsToRun(size) || size.value <= 0) continue;
    for (const Reading& used : facts.All<Reading>()) {
      if (used.name == "disk./dev/shm.used" && used.cite.source == size.cite.source && used.cite.line == size.cite.line &&
          BelongsToRun(used)) {
        all.push_back({size.value, 100 * used.value / size.value, size.time, size.cite});
        break;
      }
    }
  }
  return all;
}

// The line that reports trouble with shared memory and that the run did not survive.
const SignatureHit* Trouble(const FactView& facts) {
  const RunEnd end(facts);
  for (const std::string_view finding : {"shm-refused", "shm-error"}) {
    for (const SignatureHit* hit : facts.HitsFor(finding)) {
      if (hit->origin == Origin::kRunLog && end.Of(*hit) == Standing::kEnd) return hit;
    }
  }
  for (const SignatureHit* hit : facts.Hits("loader-worker-bus-error")) {
    if (hit->origin == Origin::kRunLog && end.Of(*hit) == Standing::kEnd) return hit;
  }
  return nullptr;
}

// Read where and when the run failed: in its own log, or within minutes by comparable clocks.
bool AtTheTime(const FactView& facts, const Seen& seen, const SignatureHit& trouble) {
  if (seen.cite.source == trouble.cite.source) return true;
  std::optional<Time> failed = trouble.time;
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (!failed && shape.source == trouble.cite.source) failed = shape.last_time;
  }
  return failed && seen.time && failed->zoned == seen.time->zoned && std::abs(failed->seconds - seen.time->seconds) <= kSoon;
}

std::string Amount(const Seen& seen) { return fmt::format("{:.0f} % of {}", seen.percent, FormatBytes(seen.size)); }

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<Seen> all = ReadingsOfSharedMemory(facts);
  const SignatureHit* trouble = Trouble(facts);
  for (const Seen& seen : all) {
    if (seen.size <= kTiny) {
      out.Add("shared-memory", "shm-small", fmt::format("/dev/shm had only {} in all.", FormatBytes(seen.size)), {seen.cite});
    }
  }
  if (trouble == nullptr) return;
  bool full = false;
  const Seen* ample = nullptr;
  for (const Seen& seen : all) {
    const bool then = AtTheTime(facts, seen, *trouble);
    if (seen.percent >= kFull && then) {
      full = true;
      out.Add("shared-memory", "shm-full", fmt::format("/dev/shm was used to {} when the run failed.", Amount(seen)),
              {seen.cite, trouble->cite});
    }
    if (seen.percent < kAmple && seen.size * (1 - seen.percent / 100) >= kRoomy && ample == nullptr) ample = &seen;
    // A reading below the failure in the log was taken when the workers had gone and given their memory back.
    if (ample == &seen && then && (seen.cite.source != trouble->cite.source || seen.cite.begin < trouble->cite.begin)) {
      out.Add("shared-memory", "shm-ample", fmt::format("/dev/shm was used to {} when the run failed.", Amount(seen)),
              {seen.cite, trouble->cite});
    }
  }
  if (all.empty()) {
    for (const std::string_view id : {"shm-full", "shm-small", "shm-ample"})
      out.NotChecked(id, "no reading of /dev/shm was saved with the run");
  }
  const bool bus_error = trouble->signature->id == "loader-worker-bus-error";
  if (ample != nullptr && !full && !out.Has("shm-small")) {
    out.AddContradiction(
        {.one = trouble->cite,
         .other = ample->cite,
         .statement =
             fmt::format("The failing line speaks of shared memory, and /dev/shm was seen used to {}; a reading of the failing "
                         "host at that moment is missing.",
                         Amount(*ample)),
         .blocks = {"oom-shm"}});
    if (bus_error) return;
  }
  if (bus_error) {
    Finding& finding =
        out.Add("shared-memory", "shm-error",
                fmt::format("A loader worker died of a bus error{}, as when shared memory is full or a mapped file is cut.",
                            trouble->Capture("pid").empty() ? "" : fmt::format(" (pid {})", trouble->Capture("pid"))),
                {trouble->cite});
    finding.rank = trouble->rank;
    finding.time = trouble->time;
  }
}

}  // namespace

extern const Rule shared_memory;
constinit const Rule shared_memory{
    .id = "shared-memory",
    .title = "Whether shared memory was short: what the run reports against what was read of /dev/shm",
    .looks_at = "errors of loader workers and segments, readings of /dev/shm in logs and saved listings",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
