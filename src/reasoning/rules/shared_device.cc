// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "reasoning/own_ids.h"
#include "reasoning/rules/rule.h"

// Processes of others on the devices of this run. Only where one process of a listing is known as the run's own can another one
// be called foreign: inside a container the numbers mean something else.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"foreign-gpu-process"};

struct Holder {
  std::int64_t pid = 0;
  const Reading* reading = nullptr;
};

// A desktop, a monitor or the persistence service.
bool OnlyLooksOn(std::string_view name) {
  for (const std::string_view other :
       {"Xorg", "gnome", "nvtop", "dcgm", "nvidia-persistenced", "nvitop", "compositor", "Xwayland"}) {
    if (name.find(other) != std::string_view::npos) return true;
  }
  return false;
}

void Evaluate(const FactView& facts, Findings& out) {
  std::map<int, std::vector<Holder>> holders;
  for (const Reading& reading : facts.All<Reading>()) {
    if (!BelongsToRun(reading) || !reading.name.starts_with("gpu.")) continue;
    const std::vector<std::string_view> parts = Split(reading.name, '.');
    if (parts.size() != 4 || parts[2] != "process") continue;
    const auto device = ParseInteger(parts[1]);
    const auto pid = ParseInteger(parts[3]);
    if (device && pid && *device >= 0 && *device < 1024) holders[static_cast<int>(*device)].push_back({*pid, &reading});
  }
  if (holders.empty()) {
    out.NotChecked("foreign-gpu-process", "no listing shows the processes on the run's devices");
    return;
  }
  std::set<std::int64_t> own = OwnPids(facts);
  for (const ProcessSeen& process : facts.All<ProcessSeen>()) {
    if (own.contains(process.parent)) own.insert(process.pid);  // workers and ranks that the run started
  }
  // Without a process of the run in the listing (it had ended when the listing was made) the refusal's own text ties the two: it
  // names a process beside its own, by a number that the listing shows.
  const SignatureHit* named = nullptr;
  const auto named_by_refusal = [&](std::int64_t pid) {
    if (own.empty() || own.contains(pid)) return false;
    for (const SignatureHit* hit : facts.HitsFor("device-oom")) {
      const std::string words = fmt::format("Process {} has ", pid);
      if (hit->Capture("others").find(words) == std::string_view::npos) continue;
      named = hit;
      return true;
    }
    return false;
  };
  bool known = false;
  for (const auto& [device, all] : holders) {
    const Holder* mine = nullptr;
    const Holder* foreign = nullptr;
    for (const Holder& h : all) {
      if (own.contains(h.pid)) {
        mine = &h;
      } else if (!OnlyLooksOn(h.reading->text)) {
        foreign = &h;
      }
    }
    known = known || mine != nullptr;
    if (mine == nullptr && foreign != nullptr && named_by_refusal(foreign->pid)) {
      known = true;
      out.Add("shared-device", "foreign-gpu-process",
              fmt::format("Process {} ({}) holds {} on device {}; the refusal names it beside the run's own process.",
                          foreign->pid, Printable(foreign->reading->text, 60), FormatBytes(foreign->reading->value), device),
              {foreign->reading->cite, named->cite});
    }
    if (mine == nullptr || foreign == nullptr) continue;
    out.Add("shared-device", "foreign-gpu-process",
            fmt::format("Process {} ({}) holds {} on device {} beside the run's process {}.", foreign->pid,
                        Printable(foreign->reading->text, 60), FormatBytes(foreign->reading->value), device, mine->pid),
            {foreign->reading->cite, mine->reading->cite});
  }
  if (!known) out.NotChecked("foreign-gpu-process", "which of the listed processes are the run's own is not known");
}

}  // namespace

extern const Rule shared_device;
constinit const Rule shared_device{
    .id = "shared-device",
    .title = "Processes of others on the run's devices",
    .looks_at = "listings of the processes on each device, and the process ids that the run's log names",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
