// SPDX-License-Identifier: Apache-2.0
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/text.h"
#include "evidence/codecs/text_file.h"
#include "evidence/listings/df_table.h"
#include "evidence/listings/listing_reader.h"
#include "evidence/probes/probe.h"
#include "platform/mounts.h"

// Captured: a line "MOUNT|TYPE|ROLE|BLOCK|BLOCKS|FREE|AVAILABLE|INODES|INODES_FREE|READ_ONLY" for the file systems that a run can
// fill, then what `quota` printed. Facts: as listings/df_table.h names them, and disk.MOUNT.type (text), .read_only (1). What is
// free now says little about then: space may have been freed, which rules weigh.

namespace assay::probes {
namespace {

// The mount on which a path lies: the longest that is above it; of equal ones the last, which hides the others.
const Mount* MountOf(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* best = nullptr;
  for (const Mount& mount : mounts) {
    const bool above = mount.point == "/" ||
                       (path.starts_with(mount.point) && (path.size() == mount.point.size() || path[mount.point.size()] == '/'));
    if (above && (best == nullptr || mount.point.size() >= best->point.size())) best = &mount;
  }
  return best;
}

void Collect(const ProbeContext& context, ProbeOutput& output) {
  output.Looking("/proc/self/mounts");
  const auto table = ReadWholeFile(context.files, "/proc/self/mounts", 4 << 20);
  if (!table.has_value()) return output.NotChecked("free space", "/proc/self/mounts: " + table.error().reason);
  const std::vector<Mount> mounts = ReadMountTable(*table);
  // The project comes last: it is the one that may lie on a server which does not answer.
  std::vector<std::pair<const Mount*, std::string_view>> wanted;
  for (const auto& [path, role] : {std::pair<std::string_view, std::string_view>{"/dev/shm", "shared"},
                                   {"/tmp", "temporary"},
                                   {"/", "root"},
                                   {context.project, "project"}}) {
    if (path.empty()) continue;
    const Mount* mount = MountOf(mounts, path);
    if (mount == nullptr) continue;
    const auto same = std::find_if(wanted.begin(), wanted.end(), [&](const auto& other) { return other.first == mount; });
    if (same != wanted.end()) wanted.erase(same);
    if (role == "shared" && mount->point != path) continue;
    wanted.emplace_back(mount, role);
  }
  for (const auto& [mount, role] : wanted) {
    output.Looking(mount->point);
    if (!context.is_this_machine) continue;
    struct statvfs space{};
    if (statvfs(mount->point.c_str(), &space) != 0) {
      output.NotChecked("free space of " + mount->point, std::strerror(errno));
      continue;
    }
    std::string line = mount->point;
    std::replace(line.begin(), line.end(), '|', '?');
    std::replace(line.begin(), line.end(), '\n', '?');
    for (const std::string& part :
         {mount->type, std::string(role), std::to_string(space.f_frsize), std::to_string(space.f_blocks),
          std::to_string(space.f_bfree), std::to_string(space.f_bavail), std::to_string(space.f_files),
          std::to_string(space.f_favail), std::string((space.f_flag & ST_RDONLY) != 0 ? "1" : "0")}) {
      line += "|" + part;
    }
    output.Text(line + "\n");
  }
  if (!context.is_this_machine) return;
  output.Looking("quota");
  const auto quota = RunCommand({"quota", "-w"}, kCommandDeadline / 2, 1 << 20);
  if (!quota.has_value()) return output.NotChecked("the quota", "there is no program quota on this machine");
  if (quota->timed_out) return output.NotChecked("the quota", "quota did not answer");
  // Its status is not 0 when a limit is passed, which is what one wants to see.
  if (!quota->output.empty()) output.Text(quota->output);
}

void MountLine(const std::vector<std::string_view>& cells, const Citation& cite, const RunTies& ties, FactStore& facts) {
  std::array<double, 6> n{};
  for (std::size_t i = 0; i < n.size(); ++i) {
    const auto value = ParseNumber(cells[i + 3]);
    if (!value || *value < 0) return;
    n[i] = *value;
  }
  const std::string prefix = "disk." + std::string(cells[0]) + ".";
  const std::string because = cells[2] == "project" && !ties.project.empty() ? "the run's project lies on it" : "";
  const auto push = [&](std::string_view name, double value, std::string_view unit) {
    facts.Add<Reading>({.name = prefix + std::string(name),
                        .value = value,
                        .unit = std::string(unit),
                        .live = true,
                        .belongs_because = because,
                        .cite = cite});
  };
  const auto& [block, blocks, free, available, inodes, inodes_free] = n;
  push("size", block * blocks, "bytes");
  push("used", block * (blocks - free), "bytes");
  push("free", block * available, "bytes");
  if (inodes > 0) {  // some file systems count none
    push("inodes", inodes, "count");
    push("inodes_free", inodes_free, "count");
  }
  facts.Add<Reading>({.name = prefix + "type",
                      .text = std::string(cells[1].substr(0, 64)),
                      .live = true,
                      .belongs_because = because,
                      .cite = cite});
  if (cells[9] == "1") push("read_only", 1, "");
}

void Interpret(const CapturedText& captured, const RunTies& ties, FactStore& facts) {
  QuotaTable quota;
  ListingContext context{.facts = facts};
  std::size_t at = 0;
  std::uint64_t number = 0;
  while (at < captured.text.size()) {
    const std::size_t end = std::min(captured.text.find('\n', at), captured.text.size());
    const std::string_view line = captured.text.substr(at, end - at);
    const Citation cite{.source = captured.source, .begin = at, .end = end, .line = ++number};
    at = end + 1;
    const std::vector<std::string_view> cells = Split(line, '|');
    if (cells.size() == 10) {
      MountLine(cells, cite, ties, facts);
    } else {
      quota.Take({.text = line, .cite = cite}, context);
    }
  }
  for (Reading& reading : facts.Mutable<Reading>()) {
    if (reading.cite.source == captured.source) reading.live = true;
  }
}

}  // namespace

extern const Probe disk;
constinit const Probe disk{
    .id = "disk",
    .title = "Free space, inodes and quota where the run writes; shared memory",
    .reads = "/proc/self/mounts, statvfs, quota",
    .cost = "milliseconds; a server that does not answer costs the deadline",
    .privileges = "none",
    .collect = Collect,
    .interpret = Interpret,
};

}  // namespace assay::probes
