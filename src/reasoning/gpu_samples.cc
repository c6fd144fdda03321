// SPDX-License-Identifier: Apache-2.0
#include "reasoning/gpu_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace assay {

std::map<int, std::vector<GpuSample>> GpuSamples(const FactView& facts) {
  std::map<int, std::vector<GpuSample>> all;
  for (const Reading& reading : facts.All<Reading>()) {
    std::string_view name = reading.name;
    if (!BelongsToRun(reading) || !name.starts_with("gpu.")) continue;
    name.remove_prefix(4);
    const std::size_t dot = name.find('.');
    const auto index = dot == std::string_view::npos ? std::nullopt : ParseInteger(name.substr(0, dot));
    if (!index || *index < 0 || *index > 1024) continue;
    name.remove_prefix(dot + 1);
    if (name.starts_with("process.") || name.starts_with("mig.") || name == "name" || name == "bus") continue;
    std::vector<GpuSample>& samples = all[static_cast<int>(*index)];
    // The boxed table spreads one sample over two lines without a time between; a value that comes again begins the next one.
    const bool same = !samples.empty() && samples.back().cite.source == reading.cite.source && !samples.back().Has(name) &&
                      (samples.back().cite.begin == reading.cite.begin || !reading.time);
    if (!same)
      samples.push_back({.time = reading.time ? std::optional(reading.time->seconds) : std::nullopt, .cite = reading.cite});
    samples.back().values.emplace(std::string(name), reading.value);
  }
  return all;
}

std::vector<GpuSample> DuringTraining(const FactView& facts, const std::vector<GpuSample>& samples) {
  double first = std::numeric_limits<double>::infinity();
  double last = -first;
  for (const MetricTable& table : facts.tables()) {
    for (std::size_t i = 0; i < table.row_count(); ++i) {
      const double time = table.row(i).time;
      if (std::isnan(time)) continue;
      first = std::min(first, time);
      last = std::max(last, time);
    }
  }
  std::vector<GpuSample> during;
  for (const GpuSample& s : samples) {
    if (s.time && *s.time >= first && *s.time <= last) during.push_back(s);
  }
  // Clocks without a date or of another zone do not overlap: nothing can be left out then.
  return during.empty() ? samples : during;
}

}  // namespace assay
