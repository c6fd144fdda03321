// SPDX-License-Identifier: Apache-2.0
#include "reasoning/pace.h"

#include <cmath>
#include <vector>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/progress.h"

namespace assay {

std::optional<LastStep> FindLastStep(const FactView& facts) {
  std::optional<LastStep> best;
  for (const MetricTable& table : facts.tables()) {
    if (!IsTraining(table)) continue;
    const std::size_t last = table.row_count() - 1;
    LastStep step{.cite = table.Cite(last), .rows = table.row_count()};
    if (!std::isnan(table.row(last).time)) step.time = Time{.seconds = table.row(last).time, .zoned = table.times_zoned};
    constexpr std::size_t kRecent = 30;
    std::vector<double> intervals;
    for (std::size_t i = last > kRecent ? last - kRecent : 0; i < last; ++i) {
      const double interval = table.row(i + 1).time - table.row(i).time;
      if (interval > 0) intervals.push_back(interval);
    }
    if (intervals.size() >= 3) step.usual_interval = Median(intervals);
    const bool later = best && step.time && (!best->time || step.time->seconds > best->time->seconds);
    const bool longer = best && !step.time && !best->time && step.rows > best->rows;
    if (!best || later || longer) best = step;
  }
  return best;
}

std::optional<Time> TimeIn(std::string_view text) {
  for (std::size_t at = text.find("20"); at != std::string_view::npos; at = text.find("20", at + 1)) {
    if (at > 0 && IsIdentifierChar(text[at - 1])) continue;
    const auto found = ParseTimePrefix(text.substr(at));
    if (found && found->length > 10) return found->time;
  }
  return std::nullopt;
}

}  // namespace assay
