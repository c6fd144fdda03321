// SPDX-License-Identifier: Apache-2.0
#pragma once

// Repeated readings of devices, put together per device and moment: what was the utilisation when the clock was low?

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

struct GpuSample {
  std::map<std::string, double, std::less<>> values;  // "utilisation", "clock_sm", "throttle.hw_slowdown" …
  std::optional<double> time;                         // seconds since the epoch, as printed
  Citation cite;
  double Value(std::string_view name, double otherwise) const {
    const auto it = values.find(name);
    return it == values.end() ? otherwise : it->second;
  }
  bool Has(std::string_view name) const { return values.find(name) != values.end(); }
};

// Samples of each device in order, of readings that belong to the run. Readings of one line are one sample.
std::map<int, std::vector<GpuSample>> GpuSamples(const FactView& facts);

// Only those taken while the run logged steps, as far as both print their times; all of them otherwise.
std::vector<GpuSample> DuringTraining(const FactView& facts, const std::vector<GpuSample>& samples);

}  // namespace assay
