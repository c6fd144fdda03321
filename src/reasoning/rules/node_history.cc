// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/text.h"
#include "reasoning/rules/rule.h"

// On which nodes attempts failed and finished, and whether the node booted while the run was on it.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"one-host-only", "other-node-clean", "node-rebooted"};

constexpr double kChance = 0.05;

// A job and not one of its steps: "1234", "1234_7".
bool IsWholeJob(std::string_view job) {
  return !job.empty() && job.find('.') == std::string_view::npos && job.find('/') == std::string_view::npos;
}
bool Failed(std::string_view state) {
  return state.starts_with("FAILED") || state.starts_with("NODE_FAIL") || state.starts_with("BOOT_FAIL");
}
// A list or a range is no single node.
bool IsOneNode(std::string_view node) {
  return !node.empty() && node.find_first_of("[,") == std::string_view::npos && !node.starts_with("None");
}

void LookAtNodes(const FactView& facts, Findings& out) {
  std::map<std::string, std::size_t> failures;
  std::set<std::string> clean;
  std::set<std::string> nodes;
  std::vector<Citation> failing_cites;
  std::vector<Citation> clean_cites;
  double longest_failure = 0;
  double longest_clean = 0;
  for (const SchedulerRecord& record : facts.All<SchedulerRecord>()) {
    if (!BelongsToRun(record) || !IsWholeJob(record.job) || !IsOneNode(record.node)) continue;
    nodes.insert(record.node);
    if (Failed(record.state)) {
      ++failures[record.node];
      failing_cites.push_back(record.cite);
      longest_failure = std::max(longest_failure, record.elapsed_seconds.value_or(0));
    } else if (record.state == "COMPLETED") {
      clean.insert(record.node);
      clean_cites.push_back(record.cite);
      longest_clean = std::max(longest_clean, record.elapsed_seconds.value_or(0));
    }
  }
  if (nodes.empty()) {
    for (const std::string_view id : {"one-host-only", "other-node-clean"})
      out.NotChecked(id, "no scheduler's record names the nodes of several attempts");
    return;
  }
  if (failures.size() != 1) return;
  const auto& [node, count] = *failures.begin();
  const bool others = std::any_of(clean.begin(), clean.end(), [&](const std::string& n) { return n != node; });
  if (!others || clean.contains(node)) return;
  if (longest_clean >= longest_failure) {
    out.Add(
        "node-history", "other-node-clean",
        fmt::format("The same job finished on {}, while it failed on {}.", Printable(*clean.begin(), 60), Printable(node, 60)),
        {clean_cites.front(), failing_cites.front()});
  }
  if (count < 2 || std::pow(static_cast<double>(nodes.size()), 1.0 - static_cast<double>(count)) >= kChance) return;
  std::vector<Citation> cites = failing_cites;
  cites.push_back(clean_cites.front());
  out.Add("node-history", "one-host-only",
          fmt::format("All {} failed attempts ran on {}, and other nodes are clean.", count, Printable(node, 60)),
          std::move(cites));
}

// The kernel's own time of boot lies inside the run.
void LookAtBoot(const FactView& facts, Findings& out) {
  double first = std::numeric_limits<double>::infinity();
  double last = -first;
  Citation step;
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (!shape.first_time || !shape.last_time || !shape.first_time->zoned || !shape.last_time->zoned) continue;
    if (facts.source(shape.source).format != "text-log") continue;
    first = std::min(first, shape.first_time->seconds);
    if (shape.last_time->seconds > last) {
      last = shape.last_time->seconds;
      step = shape.last_line;
    }
  }
  bool looked = false;
  for (const Reading& reading : facts.All<Reading>()) {
    if (reading.name != "host.boot_time" || !BelongsToRun(reading) || last < first) continue;
    looked = true;
    constexpr double kTolerance = 5;  // seconds
    // What ends before the boot ended with it only if the boot came at once; a later one may be maintenance.
    if (reading.value <= first + kTolerance || reading.value > last + 600) continue;
    out.Add("node-history", "node-rebooted",
            fmt::format("The node booted {} after the first line of the run's log.", FormatSeconds(reading.value - first)),
            {reading.cite, step});
  }
  if (!looked) out.NotChecked("node-rebooted", "the time of the node's last boot, or a zoned time of the run, is not known");
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtNodes(facts, out);
  LookAtBoot(facts, out);
}

}  // namespace

extern const Rule node_history;
constinit const Rule node_history{
    .id = "node-history",
    .title = "Nodes on which attempts failed and finished, and boots in between",
    .looks_at = "scheduler records of the project's jobs, and the node's time of boot",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
