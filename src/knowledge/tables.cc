// SPDX-License-Identifier: Apache-2.0
#include "knowledge/tables.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

// In the order of Role.
constexpr std::array<std::string_view, 10> kRoleNames{"failure",    "symptom", "follower", "benign",  "normal-end",
                                                      "early-stop", "start",   "resume",   "context", "advice"};

}  // namespace

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

std::string_view RoleName(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

std::optional<Role> RoleNamed(std::string_view name) {
  const auto found = std::find(kRoleNames.begin(), kRoleNames.end(), name);
  if (found == kRoleNames.end()) return std::nullopt;
  return static_cast<Role>(found - kRoleNames.begin());
}

}  // namespace assay
