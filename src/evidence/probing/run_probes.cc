// SPDX-License-Identifier: Apache-2.0
#include "evidence/probing/run_probes.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.h"

namespace assay {

void InterpretProbe(const Probe& probe, const ChildOutput& output, const RunTies& ties, FactStore& facts) {
  std::string text;
  std::string looking;
  std::string_view rest = output.text;
  while (rest.size() >= 9) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + 9, length, 16);
    if (error != std::errc{} || end != rest.data() + 9 || length > rest.size() - 9) break;  // cut by the deadline
    const std::string_view payload = rest.substr(9, length);
    switch (rest[0]) {
      case 'T': text += payload; break;
      case 'L': looking = payload; break;
      case 'N': {
        const std::size_t newline = payload.find('\n');
        facts.AddNotChecked(std::string(payload.substr(0, newline)),
                            std::string(payload.substr(std::min(payload.size(), newline + 1))));
        break;
      }
      default: break;
    }
    rest.remove_prefix(9 + length);
  }
  if (!output.finished) {
    const std::string at = looking.empty() ? std::string(probe.reads) : looking;
    facts.AddNotChecked(std::string(probe.title), Printable(at) + " did not answer within " + FormatSeconds(kProbeDeadline));
  }
  if (text.empty()) return;
  const SourceId source = facts.AddSource({.path = std::string(probe.reads),
                                           .kind = SourceKind::kReading,
                                           .format = "probe-" + std::string(probe.id),
                                           .size = text.size(),
                                           .captured = text});
  // The store may move its sources while facts are added, so the probe reads this copy.
  probe.interpret({.source = source, .text = text}, ties, facts);
}

void RunProbes(const ProbeContext& context, FactStore& facts) {
  std::vector<const Probe*> order(probes::All().begin(), probes::All().end());
  // What runs tells whose control groups are the run's, and the others ask for that.
  std::stable_partition(order.begin(), order.end(), [](const Probe* probe) { return probe->id == "processes"; });
  std::vector<std::function<void(const ChildWriter&)>> work;
  for (const Probe* probe : order) {
    work.emplace_back([&context, probe](const ChildWriter& write) {
      ProbeOutput output(write);
      probe->collect(context, output);
    });
  }
  const std::vector<ChildOutput> outputs = RunInChildren(work, kProbeDeadline);
  RunTies ties = context.ties;
  for (std::size_t i = 0; i < order.size(); ++i) {
    InterpretProbe(*order[i], outputs[i], ties, facts);
    if (order[i]->id != "processes") continue;
    for (const ProcessSeen& process : FactView(facts).All<ProcessSeen>()) {
      if (process.belongs_because.empty() || process.cgroup.size() < 2) continue;
      if (FindTie(ties.cgroups, process.cgroup) == nullptr)
        ties.cgroups.push_back({.value = process.cgroup, .said = "process " + std::to_string(process.pid)});
      const std::string pid = std::to_string(process.pid);
      if (FindTie(ties.pids, pid) == nullptr) ties.pids.push_back({.value = pid, .said = "the list of processes"});
    }
  }
}

}  // namespace assay
