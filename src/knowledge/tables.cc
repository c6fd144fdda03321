// SPDX-License-Identifier: Apache-2.0
#include "knowledge/tables.h"

#include <algorithm>

namespace assay {
namespace knowledge {
namespace {

template <class T>
const T* FindById(std::span<const T> table, std::string_view id) {
  const auto it =
      std::lower_bound(table.begin(), table.end(), id, [](const T& row, std::string_view key) { return row.id < key; });
  return it != table.end() && it->id == id ? &*it : nullptr;
}

}  // namespace

const Signature* FindSignature(std::string_view id) { return FindById(Signatures(), id); }
const FindingInfo* FindFinding(std::string_view id) { return FindById(Findings(), id); }
const CauseInfo* FindCause(std::string_view id) { return FindById(Causes(), id); }
const SourceInfo* FindEvidenceSource(std::string_view id) { return FindById(EvidenceSources(), id); }
const AxisInfo* FindAxis(std::string_view id) { return FindById(Axes(), id.substr(0, id.find('='))); }

}  // namespace knowledge

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kFailure: return "failure";
    case Role::kSymptom: return "symptom";
    case Role::kFollower: return "follower";
    case Role::kBenign: return "benign";
    case Role::kNormalEnd: return "normal-end";
    case Role::kEarlyStop: return "early-stop";
    case Role::kStart: return "start";
    case Role::kResume: return "resume";
    case Role::kContext: return "context";
    case Role::kAdvice: return "advice";
  }
  return "context";
}

}  // namespace assay
