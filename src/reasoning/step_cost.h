// SPDX-License-Identifier: Apache-2.0
#pragma once

// How long the work took, along the run: seconds per step, sample, token or epoch, from whatever the run logged about its speed.
// Only the last attempt counts, and rows of evaluations are left out.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

struct CostPoint {
  double seconds = 0;  // per unit of the series
  std::string place;   // "step 1200", "epoch 7"
  std::int64_t step = kNoStep;
  double time = 0;  // of the row, seconds since the epoch; NaN: not printed
  Citation cite;
};

struct CostSeries {
  enum class Measure { kThroughput, kStepTime, kEpochTime, kElapsed, kBar, kTimestamps };
  Measure measure = Measure::kStepTime;
  std::string what;                    // "step time", "time per unit of ups": what a sentence calls it
  const MetricTable* table = nullptr;  // nullptr for a progress bar
  std::vector<CostPoint> points;
  std::size_t rows_per_point = 1;  // more than 1: of so many rows of a long table one was taken
  bool is_rate = false;            // points were printed as rates: seconds are their inverse
};

// The best measure of each table and of the training bars, those with the most points first. A rate in samples or tokens goes
// before the time of a step, which grows with a larger batch; times between lines come last, since they hold evaluations and
// saves.
std::vector<CostSeries> CostsOf(const FactView& facts);

// Without the first points, in which compilation, autotuning and cold caches are paid for.
std::vector<CostPoint> AfterWarmUp(const CostSeries& series);

std::vector<double> Seconds(const std::vector<CostPoint>& points);

// "0.41 s per step" or "96 per second" as the run itself printed it.
std::string CostText(const CostSeries& series, double seconds);

}  // namespace assay
