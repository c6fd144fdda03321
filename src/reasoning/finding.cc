// SPDX-License-Identifier: Apache-2.0
#include "reasoning/finding.h"

#include <algorithm>

#include "base/check.h"

namespace assay {

Finding& Findings::Add(std::string_view rule, std::string_view id, std::string statement, std::vector<Citation> cites) {
  const FindingInfo* info = knowledge::FindFinding(id);
  ASSAY_CHECK(info != nullptr);
  ASSAY_CHECK(!cites.empty());
  for (Finding& known : all_) {
    if (known.info != info) continue;
    constexpr std::size_t kMaxCites = 8;
    for (const Citation& cite : cites) {
      if (known.cites.size() < kMaxCites && std::find(known.cites.begin(), known.cites.end(), cite) == known.cites.end()) {
        known.cites.push_back(cite);
      }
    }
    return known;
  }
  all_.push_back({.info = info, .rule = rule, .statement = std::move(statement), .cites = std::move(cites)});
  return all_.back();
}

void Findings::NotChecked(std::string_view id, std::string why) {
  const FindingInfo* info = knowledge::FindFinding(id);
  ASSAY_CHECK(info != nullptr);
  unchecked_.push_back({info, std::move(why)});
}

const Finding* Findings::Find(std::string_view id) const {
  for (const Finding& finding : all_) {
    if (finding.info->id == id) return &finding;
  }
  return nullptr;
}

}  // namespace assay
