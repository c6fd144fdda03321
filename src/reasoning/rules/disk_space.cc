// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "reasoning/job_records.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"enospc-path", "disk-near-full"};

constexpr double kGiB = 1073741824;
constexpr double kSmallShare = 0.05;

bool InMemory(std::string_view path) {
  return path.starts_with("/dev/shm") || path.starts_with("/run/") || path.starts_with("/proc/");
}

// "disk.<mount>.<part>"
std::string_view MountOf(std::string_view name) {
  return name.starts_with("disk./") ? name.substr(5, name.rfind('.') - 5) : std::string_view();
}

// On a file system of a few gigabytes little free space is a large share of it.
bool IsSmallShare(const FactView& facts, std::string_view mount, double free) {
  const std::string name = fmt::format("disk.{}.size", mount);
  const auto& all = facts.All<Reading>();
  const auto size = std::find_if(all.begin(), all.end(), [&](const Reading& r) { return r.name == name && BelongsToRun(r); });
  return size == all.end() || free < kSmallShare * size->value;
}

bool IsFull(const FactView& facts, std::string_view mount, const Reading& reading, std::string_view part) {
  if (part == "used_percent" || part == "inodes_used_percent") return reading.value >= 99;
  if (part == "inodes_free") return reading.value < 1;
  return part == "free" && reading.value < kGiB && IsSmallShare(facts, mount, reading.value);
}

// A small or read-only file system is always full: boot images, snaps, memory.
bool HoldsRunData(std::string_view mount) {
  for (const std::string_view other : {"/boot", "/snap", "/dev", "/run", "/sys", "/proc", "/cvmfs", "/cdrom", "/media"}) {
    if (mount == other || (mount.starts_with(other) && mount[other.size()] == '/')) return false;
  }
  return true;
}

// A node that runs short of disk evicts the pods that fill it.
void LookAtEvictions(const FactView& facts, Findings& out) {
  for (const SchedulerRecord* record : DecidingRecords(facts)) {
    if (!EqualsIgnoreCase(record->state, "Evicted") || !ContainsIgnoreCase(record->reason, "storage")) continue;
    out.Add("disk-space", "disk-near-full",
            fmt::format("{} was evicted because its node ran short of storage.", Printable(record->job, 80)), {record->cite});
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtEvictions(facts, out);
  const RunEnd end(facts);
  for (const std::string_view signature : {"disk-full", "disk-quota"}) {
    for (const SignatureHit* hit : facts.Hits(signature)) {
      const std::string_view path = hit->Capture("path");
      if (path.empty() || InMemory(path) || signature != "disk-full" || end.Of(*hit) != Standing::kEnd) continue;
      out.Add("disk-space", "enospc-path", fmt::format("The write to {} failed for lack of space.", Printable(path, 200)),
              {hit->cite});
    }
  }
  for (const Reading& reading : facts.All<Reading>()) {
    const std::string_view mount = MountOf(reading.name);
    if (mount.empty() || !BelongsToRun(reading) || !HoldsRunData(mount)) continue;
    const std::string_view part = std::string_view(reading.name).substr(reading.name.rfind('.') + 1);
    if (!IsFull(facts, mount, reading, part)) continue;
    out.Add("disk-space", "disk-near-full",
            part == "free" ? fmt::format("{} had {} free.", Printable(mount, 120), FormatBytes(reading.value))
                           : fmt::format("{} stood at {} % of its {}.", Printable(mount, 120), FormatNumber(reading.value),
                                         part.starts_with("inodes") ? "inodes" : "space"),
            {reading.cite});
  }
}

}  // namespace

extern const Rule disk_space;
constinit const Rule disk_space{
    .id = "disk-space",
    .title = "Which file system was full",
    .looks_at = "write errors with their paths, saved or live readings of free space, and evictions of pods",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
