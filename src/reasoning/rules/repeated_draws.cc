// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "base/text.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"same-augment"};

// One random number of one worker, in the order of the log.
struct Draw {
  std::int64_t worker;
  std::string name;
  std::string value;
  Citation cite;
};

// "worker 0: crop=2208  worker 1: crop=2208": every worker of the line with the "name=value" that follows it.
void ReadLine(const SignatureHit& hit, std::vector<Draw>& draws) {
  const std::string lower = ToLower(hit.quote);
  const std::string name(ToLower(hit.Capture("name")));
  std::size_t at = 0;
  while ((at = lower.find("worker", at)) != std::string::npos) {
    at += 6;
    const std::size_t end = std::min(lower.find("worker", at), lower.size());
    const std::string_view part = std::string_view(lower).substr(at, end - at);
    const std::size_t digit = part.find_first_of("0123456789");
    const std::size_t named = part.find(name);
    if (digit == std::string_view::npos || digit > 6 || named == std::string_view::npos || named < digit) continue;
    const auto worker = ParseNumberPrefix(part.substr(digit));
    const std::size_t sign = part.find_first_of("=:", named);
    if (!worker || sign == std::string_view::npos) continue;
    std::string_view value = part.substr(sign + 1);
    while (!value.empty() && (value[0] == ' ' || value[0] == '[' || value[0] == '(')) value.remove_prefix(1);
    const auto number = ParseNumberPrefix(value);
    if (number)
      draws.push_back({static_cast<std::int64_t>(worker->value), name, std::string(value.substr(0, number->length)), hit.cite});
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  constexpr std::size_t kDraws = 3;
  std::map<std::pair<std::uint32_t, std::string>, std::vector<Draw>> streams;
  for (const SignatureHit* hit : facts.Hits("worker-draws")) {
    std::vector<Draw> draws;
    ReadLine(*hit, draws);
    for (Draw& draw : draws) streams[{static_cast<std::uint32_t>(draw.cite.source), draw.name}].push_back(std::move(draw));
  }
  for (const auto& [key, draws] : streams) {
    std::map<std::int64_t, std::vector<const Draw*>> by_worker;
    for (const Draw& draw : draws) by_worker[draw.worker].push_back(&draw);
    if (by_worker.size() < 2) continue;
    const std::vector<const Draw*>& first = by_worker.begin()->second;
    // A setting is equal in all workers as well: only numbers that vary inside a worker are draws.
    std::set<std::string> different;
    std::size_t common = first.size();
    for (const auto& [worker, sequence] : by_worker) common = std::min(common, sequence.size());
    for (std::size_t i = 0; i < common; ++i) different.insert(first[i]->value);
    if (common < kDraws || different.size() < kDraws) continue;
    const bool equal = std::all_of(by_worker.begin(), by_worker.end(), [&](const auto& item) {
      return std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(common), item.second.begin(),
                        [](const Draw* a, const Draw* b) { return a->value == b->value; });
    });
    if (!equal) continue;
    std::vector<Citation> cites{first.front()->cite};
    for (std::size_t i = 1; i < kDraws; ++i) cites.push_back(first[i]->cite);
    out.Add("repeated-draws", "same-augment",
            fmt::format("{} workers drew the same {} values of \"{}\" in the same order, {} first.", by_worker.size(), common,
                        key.second, Printable(first.front()->value, 40)),
            std::move(cites));
    return;
  }
}

}  // namespace

extern const Rule repeated_draws;
constinit const Rule repeated_draws{
    .id = "repeated-draws",
    .title = "Loader workers that draw the same random numbers",
    .looks_at = "lines in which loader workers print what they drew",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
