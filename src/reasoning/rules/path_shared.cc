// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
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
    // Without ranks in the log the launcher's word for the first to fail stands in: one block of text, one process.
    const std::optional<int> rank = t->rank ? t->rank : end.root_rank();
    if (!exists || !rank || open == std::string::npos) continue;
    const std::string path = t->message.substr(open + 1, t->message.find('\'', open + 1) - open - 1);
    failed[path].insert(*rank);
    cites[path].push_back(t->exception_cite);
  }
  std::set<int> ranks;
  for (const LogShape& shape : facts.All<LogShape>()) ranks.insert(shape.ranks.begin(), shape.ranks.end());
  // Processes that the launcher ended because of the failed one were alive.
  const std::size_t ended = facts.Hits("torchrun-closing-ranks").size();
  for (const auto& [path, who] : failed) {
    // Only rank 0 may have been asked to make it: then it was there from before.
    if (who.size() == 1 && who.contains(0)) continue;
    std::set<int> seen = ranks;
    for (const int rank : who) seen.erase(rank);
    const std::size_t others = std::max(seen.size(), ended);
    if (others == 0) continue;
    out.Add("path-shared", "file-race",
            fmt::format("{} failed because {} was there already, and {} did not: another one had made it.",
                        Plural(who.size(), "rank"), Printable(path, 160), Plural(others, "other rank")),
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
