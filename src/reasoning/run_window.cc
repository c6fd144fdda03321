// SPDX-License-Identifier: Apache-2.0
#include "reasoning/run_window.h"

#include <algorithm>
#include <cmath>

#include "reasoning/own_ids.h"
#include "reasoning/progress.h"

namespace assay {
namespace {

constexpr double kBefore = 5;   // seconds that two clocks of one host may differ
constexpr double kWentOn = 60;  // seconds: a step that was under way may still be logged

}  // namespace

LogWindow WindowOfRun(const FactView& facts) {
  LogWindow window;
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (IsLogOfNode(facts, shape.source)) continue;
    window.written = std::max(window.written, facts.source(shape.source).modified);
    if (shape.first_time && (!window.first || shape.first_time->seconds < window.first->seconds)) window.first = shape.first_time;
    if (shape.last_time && (!window.last || shape.last_time->seconds > window.last->seconds)) window.last = shape.last_time;
  }
  return window;
}

TimeFit FitOfTime(const LogWindow& window, const std::optional<Time>& time, double after) {
  if (!time || !window.last || time->zoned != window.last->zoned) return TimeFit::kUnknown;
  if (time->seconds - window.last->seconds > after) return TimeFit::kOutside;
  return window.first && time->seconds < window.first->seconds - kBefore ? TimeFit::kOutside : TimeFit::kInside;
}

bool WentOnAfter(const FactView& facts, const std::optional<Time>& time) {
  if (!time) return false;
  return std::any_of(facts.tables().begin(), facts.tables().end(), [&](const MetricTable& table) {
    if (!IsTraining(table) || table.times_zoned != time->zoned) return false;
    const double last = table.row(table.row_count() - 1).time;
    return !std::isnan(last) && last > time->seconds + kWentOn;
  });
}

}  // namespace assay
