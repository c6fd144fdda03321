// SPDX-License-Identifier: Apache-2.0
#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>

namespace assay {

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::vector<double> PrefixMedians(std::span<const double> values) {
  std::priority_queue<double> lower;                                             // its top is the largest
  std::priority_queue<double, std::vector<double>, std::greater<double>> upper;  // as many as in lower, or one more
  std::vector<double> medians;
  medians.reserve(values.size());
  for (const double value : values) {
    lower.push(value);
    upper.push(lower.top());
    lower.pop();
    if (upper.size() > lower.size() + 1) {
      lower.push(upper.top());
      upper.pop();
    }
    medians.push_back(upper.size() > lower.size() ? upper.top() : (lower.top() + upper.top()) / 2);
  }
  return medians;
}

double MedianAbsoluteDeviation(std::vector<double> values) {
  const double median = Median(values);
  for (double& v : values) v = std::abs(v - median);
  return Median(std::move(values));
}

double TheilSenSlope(std::span<const double> x, std::span<const double> y) {
  constexpr std::size_t kMaxPoints = 300;
  const std::size_t count = std::min(x.size(), y.size());
  const std::size_t used = std::min(count, kMaxPoints);
  const auto pick = [&](std::size_t i) { return used == count ? i : i * (count - 1) / (used - 1); };
  std::vector<double> slopes;
  for (std::size_t i = 0; i < used; ++i) {
    for (std::size_t j = i + 1; j < used; ++j) {
      const double dx = x[pick(j)] - x[pick(i)];
      if (dx != 0) slopes.push_back((y[pick(j)] - y[pick(i)]) / dx);
    }
  }
  return Median(std::move(slopes));
}

}  // namespace assay
