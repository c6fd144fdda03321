// SPDX-License-Identifier: Apache-2.0
#include "case/observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"

namespace assay {
namespace {

void ObserveLogs(const FactView& facts, std::vector<Observation>& out) {
  for (const LogShape& log : facts.All<LogShape>()) {
    if (log.lines == 0 && log.bytes == 0) continue;
    const std::string& path = facts.source(log.source).path;
    out.push_back({log.last_text.empty() ? fmt::format("{} holds blank lines only.", path)
                                         : fmt::format("{} ends with: \"{}\"", path, Printable(log.last_text, 160)),
                   {log.last_line}});
  }
}

void ObserveExtent(const Extent& extent, std::vector<Observation>& out) {
  if (!extent.last) return;
  std::string text;
  if (extent.last_step) {
    text = fmt::format("The last step logged is {}", *extent.last_step);
    if (extent.planned_steps) text += fmt::format(" of {} planned", *extent.planned_steps);
  } else if (extent.last_epoch) {
    text = fmt::format("The last epoch logged is {}", FormatNumber(*extent.last_epoch));
    if (extent.planned_epochs) text += fmt::format(" of {} planned", FormatNumber(*extent.planned_epochs));
  } else {
    return;
  }
  out.push_back({text + ".", {*extent.last}});
}

void ObserveCheckpoints(const FactView& facts, std::vector<Observation>& out) {
  const CheckpointFile* newest = nullptr;
  std::size_t count = 0;
  for (const CheckpointFile& c : facts.All<CheckpointFile>()) {
    ++count;
    const bool newer = newest == nullptr || c.step.value_or(-1) > newest->step.value_or(-1) ||
                       (c.step == newest->step && c.modified > newest->modified);
    if (newer) newest = &c;
  }
  if (newest == nullptr) return;
  const char* state = newest->state == CheckpointFile::State::kWhole   ? "whole"
                      : newest->state == CheckpointFile::State::kCut   ? "cut short"
                      : newest->state == CheckpointFile::State::kEmpty ? "empty"
                                                                       : "not checked for completeness";
  out.push_back(
      {fmt::format("{}; the newest is {}{} ({}, {}).", Plural(count, "checkpoint file"), facts.source(newest->cite.source).path,
                   newest->step ? fmt::format(" of step {}", *newest->step) : "", FormatBytes(static_cast<double>(newest->size)),
                   state),
       {newest->cite}});
}

void ObserveContext(const FactView& facts, std::vector<Observation>& out) {
  std::set<std::string_view> said;
  std::set<std::pair<SourceId, std::uint64_t>> quoted;  // a line that says two things is quoted once
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    // Advice is a finding of its own, which says that it counts for nothing.
    const bool worth = hit.signature->role == Role::kContext || hit.signature->role == Role::kResume;
    // A live kernel line that nothing ties to the run is no fact about it.
    if (hit.origin != Origin::kRunLog && hit.belongs_because.empty()) continue;
    if (!worth || quoted.contains({hit.cite.source, hit.cite.begin})) continue;
    if (!said.insert(hit.signature->id).second || said.size() > 12) continue;
    quoted.emplace(hit.cite.source, hit.cite.begin);
    out.push_back({fmt::format("{}: \"{}\"", hit.signature->meaning, Printable(hit.quote, 120)), {hit.cite}});
  }
}

void ObserveGit(const FactView& facts, std::vector<Observation>& out) {
  for (const GitState& git : facts.All<GitState>()) {
    std::string text = fmt::format("The code is at commit {}{}", git.commit.empty() ? "(none yet)" : git.commit.substr(0, 12),
                                   !git.dirty   ? ", work tree not checked"
                                   : *git.dirty ? ", with uncommitted changes"
                                                : ", clean");
    if (!git.recorded_commit.empty()) {
      text += git.recorded_commit == git.commit ? "; the run recorded the same commit"
                                                : fmt::format("; the run recorded {}", git.recorded_commit.substr(0, 12));
    }
    out.push_back({text + ".", {git.cite}});
  }
}

}  // namespace

std::vector<Observation> Observe(const FactView& facts, const Extent& extent) {
  std::vector<Observation> out;
  ObserveExtent(extent, out);
  ObserveLogs(facts, out);
  ObserveCheckpoints(facts, out);
  ObserveGit(facts, out);
  ObserveContext(facts, out);
  return out;
}

ReportRun DescribeRun(const FactView& facts) {
  ReportRun run;
  static constexpr std::array<std::string_view, 3> kCommand{"command", "argv_line", "program"};
  if (const ConfigValue* value = facts.FirstConfig(kCommand)) run.command = Printable(value->value, 400);
  for (const GitState& git : facts.All<GitState>()) {
    if (!git.commit.empty()) run.commit = git.commit;
    run.dirty = git.dirty;
    if (!git.recorded_commit.empty()) run.commit = git.recorded_commit;
  }
  std::optional<Time> first;
  std::optional<Time> last;
  std::set<int> ranks;
  for (const LogShape& log : facts.All<LogShape>()) {
    if (log.first_time && (!first || log.first_time->seconds < first->seconds)) first = log.first_time;
    if (log.last_time && (!last || log.last_time->seconds > last->seconds)) last = log.last_time;
    ranks.insert(log.ranks.begin(), log.ranks.end());
  }
  if (first) run.started = FormatTime(*first);
  if (last) run.ended = FormatTime(*last);
  if (!ranks.empty()) run.ranks = static_cast<int>(ranks.size());
  return run;
}

}  // namespace assay
