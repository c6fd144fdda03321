// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"file-race"};

// Where a rank fails at a path and others do not, the path was there or not there by the doing of another one: had it been so
// from the start, all would have failed.
void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  std::map<std::string, std::set<int>> failed;
  std::map<std::string, std::vector<Citation>> cites;
  for (const Traceback* t : end.uncaught()) {
    const bool exists = t->exception == "FileExistsError" || t->message.find("Directory not empty") != std::string::npos;
    const std::size_t open = t->message.find('\'');
    if (!exists || !t->rank || open == std::string::npos) continue;
    const std::string path = t->message.substr(open + 1, t->message.find('\'', open + 1) - open - 1);
    failed[path].insert(*t->rank);
    cites[path].push_back(t->exception_cite);
  }
  std::set<int> ranks;
  for (const LogShape& shape : facts.All<LogShape>()) ranks.insert(shape.ranks.begin(), shape.ranks.end());
  for (const auto& [path, who] : failed) {
    if (who.size() >= ranks.size()) continue;
    out.Add("path-shared", "file-race",
            fmt::format("{} of {} failed because {} was there already: another one had made it.", Plural(who.size(), "rank"),
                        ranks.size(), Printable(path, 160)),
            cites[path]);
  }
}

}  // namespace

extern const Rule path_shared;
constinit const Rule path_shared{
    .id = "path-shared",
    .title = "Whether several ranks stumbled over one path",
    .looks_at = "errors about an existing, missing or non-empty path, per rank",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
