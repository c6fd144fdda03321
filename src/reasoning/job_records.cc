// SPDX-License-Identifier: Apache-2.0
#include "reasoning/job_records.h"

#include <algorithm>

#include "base/text.h"

namespace assay {
namespace {

bool WentWell(const SchedulerRecord& record) {
  static constexpr std::string_view kStates[] = {"COMPLETED", "COMPLETING", "RUNNING", "PENDING",
                                                 "Completed", "Succeeded",  "Running"};
  return std::any_of(std::begin(kStates), std::end(kStates),
                     [&](std::string_view s) { return EqualsIgnoreCase(record.state, s); });
}

}  // namespace

std::vector<const SchedulerRecord*> DecidingRecords(const FactView& facts) {
  const auto all = facts.All<SchedulerRecord>();
  std::vector<const SchedulerRecord*> deciding;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!BelongsToRun(all[i])) continue;
    const bool history =
        std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), [&](const SchedulerRecord& later) {
          return later.job == all[i].job && later.cite.source == all[i].cite.source && WentWell(later);
        });
    if (!history) deciding.push_back(&all[i]);
  }
  return deciding;
}

}  // namespace assay
