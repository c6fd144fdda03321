// SPDX-License-Identifier: Apache-2.0
#include "reasoning/own_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "reasoning/progress.h"

namespace assay {
namespace {

// Lines about any process or job of a machine, own or foreign.
bool SpeaksOfOthers(const Signature& signature) {
  return signature.family == "kernel" || signature.id.starts_with("kernel-") || signature.id == "user-space-oom-killer" ||
         signature.id.starts_with("xid") || signature.id.find("-xid") != std::string_view::npos;
}

bool IsIdPart(char c) { return IsIdentifierChar(c) || c == '-'; }

// `word` stands in `text` with nothing joined to it: "123" is in "slurm-123.out" and not in "slurm-1234.out".
bool Names(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool number = IsDigit(word.front());
    const auto joined = [&](char c) { return number ? IsDigit(c) : IsIdPart(c); };
    if ((at == 0 || !joined(text[at - 1])) && (end == text.size() || !joined(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::set<std::int64_t> OwnPids(const FactView& facts) {
  std::set<std::int64_t> pids;
  // The kernel's words "pid=44102" are not the run's, wherever a copy of them stands.
  std::set<std::pair<SourceId, std::uint64_t>> of_others;
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (SpeaksOfOthers(*hit.signature)) of_others.emplace(hit.cite.source, hit.cite.begin);
  }
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.origin != Origin::kRunLog || of_others.contains({hit.cite.source, hit.cite.begin}) ||
        IsLogOfNode(facts, hit.cite.source))
      continue;
    if (const auto pid = ParseInteger(hit.Capture("pid"))) pids.insert(*pid);
  }
  for (const LaunchFailure& failure : facts.All<LaunchFailure>()) {
    if (failure.pid) pids.insert(*failure.pid);
  }
  for (const ProcessSeen& process : facts.All<ProcessSeen>()) {
    if (BelongsToRun(process) && process.cite.source != kNoSource &&
        facts.source(process.cite.source).kind == SourceKind::kReading) {
      pids.insert(process.pid);
    }
  }
  return pids;
}

bool IsRunsOwnLog(const FactView& facts, SourceId source) {
  if (LastProgress(facts, source) > 0) return true;
  for (const Traceback& t : facts.All<Traceback>()) {
    if (t.cite.source == source) return true;
  }
  const auto shapes = facts.All<LogShape>();
  return shapes.size() == 1 && shapes.front().source == source;
}

bool IsLogOfNode(const FactView& facts, SourceId source) {
  return !IsRunsOwnLog(facts, source) &&
         std::any_of(facts.All<SignatureHit>().begin(), facts.All<SignatureHit>().end(),
                     [&](const SignatureHit& hit) { return hit.cite.source == source && SpeaksOfOthers(*hit.signature); });
}

int RanksPerNode(const FactView& facts) {
  static constexpr std::array<std::string_view, 7> kPerNode{
      "nproc_per_node", "ntasks_per_node", "num_local_procs", "gpus_per_node", "n_gpu_per_node", "num_gpus", "devices"};
  const ConfigValue* value = facts.FirstConfig(kPerNode);
  if (value != nullptr) {
    const auto number = ParseInteger(Trim(value->value));
    if (number && *number > 0 && *number <= 64) return static_cast<int>(*number);
  }
  int highest = 0;
  for (const LogShape& shape : facts.All<LogShape>()) {
    for (const int rank : shape.ranks) highest = std::max(highest, rank);
  }
  for (const SignatureHit* hit : facts.Hits("world-size")) {
    for (const std::string_view name : {"world_count", "megatron_count", "timm_count", "registered_count"}) {
      if (const auto world = ParseInteger(hit->Capture(name)); world && *world <= 16)
        highest = std::max(highest, static_cast<int>(*world) - 1);
    }
  }
  return highest < 16 ? highest + 1 : 1;  // more than one host, and nothing says how many ranks each has
}

bool IsPodRow(std::string_view line) {
  line = Trim(line);
  const std::string_view rest = Trim(line.substr(std::min(line.find(' '), line.size())));
  const std::string_view ready = rest.substr(0, rest.find(' '));
  const std::size_t slash = ready.find('/');
  return slash != std::string_view::npos && ParseInteger(ready.substr(0, slash)) && ParseInteger(ready.substr(slash + 1));
}

std::string OwnJobBecause(const FactView& facts, std::string_view job) {
  std::string_view id = job.substr(0, job.find('/'));
  if (!id.empty() && IsDigit(id.front())) id = id.substr(0, id.find('.'));
  if (id.size() < 4) return {};
  for (const LogShape& shape : facts.All<LogShape>()) {
    const std::string& path = facts.source(shape.source).path;
    if (Names(path, id)) return fmt::format("the log {} is named after {}", Printable(path, 120), Printable(id, 80));
    if (Names(shape.first_text, id)) return fmt::format("the first line of {} names {}", Printable(path, 120), Printable(id, 80));
  }
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    const std::string_view named = hit.Capture("job");
    if (hit.origin == Origin::kRunLog && !named.empty() && Names(named, id) && !IsPodRow(hit.quote) &&
        IsRunsOwnLog(facts, hit.cite.source)) {
      return fmt::format("{}:{} names {}", Printable(facts.source(hit.cite.source).path, 120), hit.cite.line, Printable(id, 80));
    }
  }
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    const bool is_id =
        value.key.ends_with("SLURM_JOB_ID") || value.key.ends_with("SLURM_JOBID") || value.key.ends_with("HOSTNAME");
    if (is_id && Trim(value.value) == id) return fmt::format("the run recorded {}", Printable(id, 80));
  }
  return {};
}

}  // namespace assay
