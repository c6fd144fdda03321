// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/metric_line.h"

#include "base/text.h"
#include "base/whole_number.h"

namespace assay {
namespace {

// Seconds in one printed unit of time, 0 for anything else.
double SecondsIn(std::string_view unit) {
  const std::string_view time = unit.substr(0, unit.find('/'));  // "ms/step"
  if (time == "ms" || time == "msec") return 1e-3;
  if (time == "us" || time == "usec") return 1e-6;
  return 0;
}

}  // namespace

void MetricLine::SetStep(double value) { step = WholeNumber(value).value_or(kNoStep); }
void MetricLine::SetPlannedSteps(double value) { planned_steps = WholeNumber(value).value_or(0); }

void MetricLine::Add(std::string_view name, double value, std::string_view unit) {
  if (unit.empty()) return Add(name, value);
  if (const double seconds = SecondsIn(unit); seconds > 0) {
    const Metric metric = MetricOfName(name);
    if (metric == Metric::kStepTime) return Add("step_time", value * seconds);
    if (metric == Metric::kDataTime) return Add("data_time", value * seconds);
    return Add(Keep(std::string(name) + "_ms"), value * seconds * 1e3);
  }
  constexpr std::string_view kByteUnits = "BKMGTbkmgt";
  if (kByteUnits.find(unit[0]) != std::string_view::npos && MetricOfName(name) == Metric::kMemory) {
    if (const auto factor = ParseByteSize("1 " + std::string(unit))) return Add(name, value * *factor);
  }
  Add(name, value);
}

}  // namespace assay
