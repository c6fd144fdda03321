// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_window.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"xid-hardware", "xid-own-device"};

// "PCI:0000:41:00" and "00000000:41:00.0" are one address: bus and slot decide.
std::string BusAndSlot(std::string_view text) {
  std::string lower = ToLower(text);
  if (const std::size_t dot = lower.find('.'); dot != std::string::npos) lower.resize(dot);
  const auto parts = Split(lower, ':');
  if (parts.size() < 2) return {};
  return std::string(parts[parts.size() - 2]) + ":" + std::string(parts.back());
}

const SignatureHit* SameDevice(const FactView& facts, std::string_view device) {
  const std::string wanted = BusAndSlot(device);
  if (wanted.empty()) return nullptr;
  for (const SignatureHit* hit : facts.Hits("device-address")) {
    if (hit->origin == Origin::kRunLog && BusAndSlot(hit->Capture("bus")) == wanted) return hit;
  }
  return nullptr;
}

const SignatureHit* SameProcess(const FactView& facts, std::string_view pid) {
  if (pid.empty()) return nullptr;
  for (const std::string_view id : {"own-process", "torchrun-item-exit", "torchrun-child-failed"}) {
    for (const SignatureHit* hit : facts.Hits(id)) {
      if (hit->origin == Origin::kRunLog && hit->Capture("pid") == pid) return hit;
    }
  }
  return nullptr;
}

void Evaluate(const FactView& facts, Findings& out) {
  constexpr double kSilence = 900;  // seconds: a process that waits for a lost device prints nothing
  const LogWindow window = WindowOfRun(facts);
  for (const SignatureHit* hit : facts.Hits("xid-hardware-fault")) {
    // Numbers of processes are given out again, and a device fails more than once.
    if (FitOfTime(window, hit->time, kSilence) == TimeFit::kOutside) continue;
    const std::string_view pid = hit->Capture("pid");
    const std::string_view device = hit->Capture("device");
    const SignatureHit* process = SameProcess(facts, pid);
    const SignatureHit* same = SameDevice(facts, device);
    if (process == nullptr && same == nullptr) {
      out.NotChecked("xid-own-device", fmt::format("the run's logs name neither device {} nor process {}", Printable(device, 40),
                                                   Printable(pid, 20)));
      continue;
    }
    std::vector<Citation> cites{hit->cite};
    if (process != nullptr) cites.push_back(process->cite);
    if (same != nullptr) cites.push_back(same->cite);
    Finding& xid = out.Add("own-device", "xid-hardware",
                           fmt::format("The kernel reports Xid {} for device {}: {}.", hit->Capture("xid"), device,
                                       Printable(WithoutStop(hit->Capture("text")), 120)),
                           cites);
    xid.time = hit->time;
    out.Add("own-device", "xid-own-device",
            fmt::format("{} of the kernel's Xid {} is this run's.",
                        process != nullptr ? fmt::format("The process {}", pid) : fmt::format("The device {}", device),
                        hit->Capture("xid")),
            std::move(cites));
  }
}

}  // namespace

extern const Rule own_device;
constinit const Rule own_device{
    .id = "own-device",
    .title = "Whether a hardware error of the kernel log concerns a device or process of this run",
    .looks_at = "hardware errors of the kernel log, and the process ids and bus addresses that the run printed",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
