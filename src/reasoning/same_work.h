// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether two runs of a project did the same work, so that one may be held against the other.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

struct SameWork {
  enum class By { kNothing, kLosses, kConfig } by = By::kNothing;
  std::vector<Citation> cites;         // of what is equal
  std::vector<std::string> differing;  // last components of configured keys whose values differ
  explicit operator bool() const { return by != By::kNothing; }
};

// Equal losses at equal steps, at least three and not all the same; else configurations that agree in at least three settings and
// differ in none that `allowed` does not name. Names of runs, folders, hosts, ports, dates and seeds are no settings.
SameWork CompareWork(const FactView& one, const FactView& other, const std::vector<std::string_view>& allowed = {});

}  // namespace assay
