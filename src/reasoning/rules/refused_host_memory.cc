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

constexpr std::array<std::string_view, 5> kYields{"rlimit-refusal", "host-memory-free", "overcommit-strict", "tmpfs-in-cgroup",
                                                  "pinned-refused"};

constexpr double kShare = 0.1;   // of all memory: enough that nothing ordinary is refused
constexpr double kSoon = 10;     // seconds
constexpr double kTmpfs = 0.25;  // of the limit

const Reading* Find(const FactView& facts, std::string_view name) {
  for (const Reading& reading : facts.All<Reading>()) {
    if (reading.name == name && BelongsToRun(reading)) return &reading;
  }
  return nullptr;
}
// The text of a cgroup's reading is its path; numbers of two groups do not go together.
const Reading* LimitOf(const FactView& facts, const Reading* of_group) {
  if (of_group == nullptr) return nullptr;
  for (const Reading& reading : facts.All<Reading>()) {
    if (reading.name == "cgroup.memory.max" && reading.text == of_group->text && BelongsToRun(reading)) return &reading;
  }
  return nullptr;
}

// A refusal comes back as an errno or an exception; a kill does not.
const SignatureHit* Refusal(const FactView& facts) {
  const RunEnd end(facts);
  static constexpr std::array<std::string_view, 6> kRefusals{
      "torch-cpu-allocator", "numpy-unable-to-allocate", "errno-12", "python-memory-error", "std-bad-alloc", "arrow-malloc"};
  for (const std::string_view id : kRefusals) {
    for (const SignatureHit* hit : facts.Hits(id)) {
      if (hit->origin == Origin::kRunLog && end.Of(*hit) == Standing::kEnd) return hit;
    }
  }
  return nullptr;
}

struct Limit {
  double bytes = 0;
  std::string said;
  Citation cite;
};
// The smallest finite limit of address space or data that was set for the process.
std::optional<Limit> ProcessLimit(const FactView& facts) {
  std::optional<Limit> least;
  const auto offer = [&](double bytes, std::string said, const Citation& cite) {
    if (std::isfinite(bytes) && bytes > 0 && (!least || bytes < least->bytes)) least = Limit{bytes, std::move(said), cite};
  };
  for (const std::string_view name : {"limit.virtual_memory", "limit.data"}) {
    if (const Reading* reading = Find(facts, name)) offer(reading->value, std::string(name.substr(6)), reading->cite);
  }
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    if (value.origin != ConfigValue::Origin::kJobScript) continue;
    const std::string_view name = std::string_view(value.key).substr(value.key.rfind('.') + 1);
    if (name == "ulimit") {
      // "-v 33554432", "-Sd 16777216": KiB.
      const std::string_view text = Trim(value.value);
      const std::size_t blank = text.find(' ');
      const std::string_view flags = text.substr(0, blank);
      const auto number = blank == std::string_view::npos ? std::nullopt : ParseInteger(Trim(text.substr(blank)));
      if (number && flags.find_first_of("vd") != std::string_view::npos) {
        offer(static_cast<double>(*number) * 1024, fmt::format("ulimit {} in the script", Printable(text, 40)), value.cite);
      }
    } else if (name == "LimitAS" || name == "LimitDATA") {
      if (const auto bytes = ParseByteSize(Trim(value.value))) offer(*bytes, Printable(value.key, 60), value.cite);
    }
  }
  return least;
}

void LookAtLimit(const FactView& facts, const SignatureHit& refusal, double asked, Findings& out) {
  const auto limit = ProcessLimit(facts);
  if (!limit) {
    out.NotChecked("rlimit-refusal", "the limits of the process are not known");
  } else if (asked <= 0) {
    out.NotChecked("rlimit-refusal", "the refusal does not say how much was asked");
  } else if (asked >= limit->bytes) {
    out.Add("refused-host-memory", "rlimit-refusal",
            fmt::format("{} were refused, and the process may not have more than {} ({}).", FormatBytes(asked),
                        FormatBytes(limit->bytes), limit->said),
            {refusal.cite, limit->cite});
  }
}

void LookAtHost(const FactView& facts, const SignatureHit& refusal, double asked, Findings& out) {
  const Reading* available = Find(facts, "host.memory_available");
  const Reading* total = Find(facts, "host.memory_total");
  const Reading* used = Find(facts, "cgroup.memory.current");
  const Reading* most = LimitOf(facts, used);
  const bool in_time = available != nullptr && available->time && refusal.time && available->time->zoned == refusal.time->zoned &&
                       std::abs(available->time->seconds - refusal.time->seconds) <= kSoon;
  if (!in_time || used == nullptr || most == nullptr) {
    out.NotChecked("host-memory-free", "no reading of host and cgroup was taken within ten seconds of the refusal");
  } else {
    const double headroom = most->value - used->value;
    const double enough = asked > 0 ? 2 * asked : kShare * (total == nullptr ? available->value / kShare : total->value);
    if (available->value >= enough && headroom >= (asked > 0 ? enough : kShare * most->value)) {
      out.Add("refused-host-memory", "host-memory-free",
              fmt::format("The host had {} available and the cgroup room for {} when memory was refused.",
                          FormatBytes(available->value), FormatBytes(headroom)),
              {available->cite, used->cite, refusal.cite});
    }
  }
  const Reading* mode = Find(facts, "host.overcommit_memory");
  const Reading* committed = Find(facts, "host.committed");
  const Reading* most_committed = Find(facts, "host.commit_limit");
  if (mode == nullptr || committed == nullptr || most_committed == nullptr) {
    out.NotChecked("overcommit-strict", "how the host promises memory was not read");
  } else if (mode->value == 2 && committed->value + asked >= most_committed->value) {
    out.Add("refused-host-memory", "overcommit-strict",
            fmt::format("The host promises no more than {} in all and had promised {}.", FormatBytes(most_committed->value),
                        FormatBytes(committed->value)),
            {mode->cite, committed->cite, most_committed->cite});
  }
}

void LookAtTmpfs(const FactView& facts, Findings& out) {
  const Reading* shared = Find(facts, "cgroup.memory.shmem");
  const Reading* most = LimitOf(facts, shared);
  if (shared == nullptr || most == nullptr || !std::isfinite(most->value) || shared->value < kTmpfs * most->value) return;
  out.Add("refused-host-memory", "tmpfs-in-cgroup",
          fmt::format("Files in memory take {} of the cgroup's {}.", FormatBytes(shared->value), FormatBytes(most->value)),
          {shared->cite, most->cite});
}

// The pin-memory thread and the host allocation calls of the device library ask for host memory, in the words of the device's
// errors.
void LookAtPinned(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  for (const Traceback& t : facts.All<Traceback>()) {
    const bool in_thread =
        ContainsIgnoreCase(t.in_worker, "pin memory") ||
        std::any_of(t.frames.begin(), t.frames.end(), [](const TracebackFrame& f) {
          return f.function.find("pin_memory") != std::string::npos || f.code.find(".pin_memory(") != std::string::npos;
        });
    const bool memory = ContainsIgnoreCase(t.message, "out of memory") || ContainsIgnoreCase(t.message, "cannot allocate memory");
    if (!in_thread || !memory || end.Of(t) != Standing::kEnd) continue;
    out.Add("refused-host-memory", "pinned-refused",
            fmt::format("Pinned host memory was refused, not memory of the device: {}.",
                        Printable(t.message.substr(0, t.message.find(". ")), 120)),
            {t.exception_cite});
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtTmpfs(facts, out);
  LookAtPinned(facts, out);
  const SignatureHit* refusal = Refusal(facts);
  if (refusal == nullptr) return;
  const double asked = ParseByteSize(refusal->Capture("asked_size")).value_or(0);
  LookAtLimit(facts, *refusal, asked, out);
  LookAtHost(facts, *refusal, asked, out);
}

}  // namespace

extern const Rule refused_host_memory;
constinit const Rule refused_host_memory{
    .id = "refused-host-memory",
    .title = "Why the host refused memory: a limit of the process, the kernel's promise, pinned memory",
    .looks_at = "refusals in logs, limits of the process, readings of host and cgroup",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
