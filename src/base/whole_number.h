// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a double that a stranger wrote to an integer. A double holds every integer up to 2^53; what lies beyond, or is not finite,
// counts nothing, and converting it would be undefined.

#include <cmath>
#include <cstdint>
#include <optional>

namespace assay {

inline constexpr std::int64_t kLargestWhole = std::int64_t{1} << 53U;

// The number without its fraction; nullopt when it is no count.
inline std::optional<std::int64_t> WholeNumber(double value) {
  if (!(std::abs(value) <= static_cast<double>(kLargestWhole))) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// The nearest integer, for text that people read: what is no count becomes the nearest count, NaN becomes 0.
inline std::int64_t NearestWhole(double value) {
  if (std::isnan(value)) return 0;
  constexpr auto kLimit = static_cast<double>(kLargestWhole);
  return static_cast<std::int64_t>(std::round(std::fmin(std::fmax(value, -kLimit), kLimit)));
}

}  // namespace assay
