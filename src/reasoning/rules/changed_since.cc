// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"env-changed", "code-changed"};

bool EndedWell(const FactView& run) {
  if (ExtentOfRun(run).reached_plan) return true;
  const RunEnd end(run);
  if (end.first() != nullptr) return false;
  for (const LogShape& shape : run.All<LogShape>()) {
    if (end.ResultsAt(shape.source)) return true;
  }
  return false;
}

std::map<std::string, const ConfigValue*> Packages(const FactView& run) {
  std::map<std::string, const ConfigValue*> packages;
  for (const ConfigValue& value : run.All<ConfigValue>()) {
    if (value.key.starts_with("package.") && !value.value.empty()) packages.try_emplace(value.key.substr(8), &value);
  }
  return packages;
}

void ComparePackages(const FactView& facts, const FactView& good, std::string_view id, Findings& out) {
  const auto then = Packages(good);
  std::string changes;
  std::vector<Citation> cites;
  for (const auto& [name, value] : Packages(facts)) {
    const auto before = then.find(name);
    constexpr std::size_t kShown = 3;
    if (before == then.end() || before->second->value == value->value || cites.size() >= 2 * kShown) continue;
    changes += fmt::format("{}{} {} instead of {}", changes.empty() ? "" : ", ", name, Printable(value->value, 40),
                           Printable(before->second->value, 40));
    cites.push_back(value->cite);
    cites.push_back(before->second->cite);
  }
  if (!cites.empty()) {
    out.Add("changed-since", "env-changed", fmt::format("Since the run {}, which ended well: {}.", id, changes),
            std::move(cites));
  }
}

std::string_view CommitOf(const GitState& state) { return state.recorded_commit.empty() ? state.commit : state.recorded_commit; }

void CompareCommits(const FactView& facts, const FactView& good, std::string_view id, Findings& out) {
  for (const GitState& now : facts.All<GitState>()) {
    for (const GitState& then : good.All<GitState>()) {
      if (CommitOf(now).empty() || CommitOf(then).empty() || CommitOf(now) == CommitOf(then)) continue;
      out.Add("changed-since", "code-changed",
              fmt::format("The commit is {}, that of the run {}, which ended well, was {}.", CommitOf(now).substr(0, 12), id,
                          CommitOf(then).substr(0, 12)),
              {now.cite, then.cite});
    }
  }
}

// The newest other run of the project that ended well is the one to compare with.
void Evaluate(const FactView& facts, Findings& out) {
  for (const auto& sibling : facts.siblings()) {
    const FactView good(sibling->facts);
    if (!EndedWell(good)) continue;
    ComparePackages(facts, good, sibling->id, out);
    CompareCommits(facts, good, sibling->id, out);
    return;
  }
}

}  // namespace

extern const Rule changed_since;
constinit const Rule changed_since{
    .id = "changed-since",
    .title = "What changed since the last run that ended well",
    .looks_at = "package lists and commits of this run and of another one of the project",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
