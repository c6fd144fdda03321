// SPDX-License-Identifier: Apache-2.0
#pragma once

// Robust statistics over small samples. Every function ignores nothing: callers pass finite values only.

#include <span>
#include <vector>

namespace assay {

double Median(std::vector<double> values);  // 0 for an empty sample

// Median absolute deviation from the median, unscaled (1.4826 × MAD estimates the standard deviation of a normal sample).
// The median of the first value, of the first two, … of all: each is what Median() says of that prefix. O(n log n) together.
std::vector<double> PrefixMedians(std::span<const double> values);
double MedianAbsoluteDeviation(std::vector<double> values);

// Theil-Sen slope of y over x: the median of the slopes of all pairs (of at most 300 evenly chosen points).
// 0 when fewer than two distinct x. Source: P. K. Sen, JASA 63 (1968).
double TheilSenSlope(std::span<const double> x, std::span<const double> y);

}  // namespace assay
