// SPDX-License-Identifier: Apache-2.0
#pragma once

// What was found in one logged line: position and named values, in the order of the line. Filled by dialects, which also bring
// printed units to those of the metric table here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "evidence/facts/metric_table.h"

namespace assay {

class MetricLine {
 public:
  struct Value {
    std::string_view name;
    double value;
  };

  std::int64_t step = kNoStep;
  double epoch = std::numeric_limits<double>::quiet_NaN();
  std::int64_t planned_steps = 0;
  double planned_epochs = 0;

  // A named value; `name` must outlive the line or be a view into its text. Blank cells are simply not added, and neither is
  // what goes beyond kMaxValues.
  void Add(std::string_view name, double value) {
    if (count_ < kMaxValues) values_[count_++] = {name, value};
  }
  // The same with the unit as printed ("ms", "GiB", "%", ""). A step or data time in ms or us becomes the column "step_time" or
  // "data_time" in seconds, any other time in ms keeps its number under "<name>_ms"; memory becomes bytes.
  void Add(std::string_view name, double value, std::string_view unit);

  // A step or a total as printed; what no 64-bit integer can hold is left out.
  void SetStep(double value);
  void SetPlannedSteps(double value);

  // Empty again, for the next line: one object serves a whole log, since its storage is large.
  void Clear() {
    step = kNoStep;
    epoch = std::numeric_limits<double>::quiet_NaN();
    planned_steps = 0;
    planned_epochs = 0;
    count_ = 0;
    kept_.clear();
  }

  // A name that stands nowhere in the line; lives until Clear().
  std::string_view Keep(std::string name) { return kept_.emplace_front(std::move(name)); }

  std::span<const Value> values() const { return std::span(values_).first(count_); }

 private:
  static constexpr std::size_t kMaxValues = 64;
  std::array<Value, kMaxValues> values_;  // only the first count_ are set
  std::size_t count_ = 0;
  std::forward_list<std::string> kept_;
};

}  // namespace assay
