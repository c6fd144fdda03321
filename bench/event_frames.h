// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the programs of this folder that deal with event files share: the checksum of a TFRecord frame, and the lines that both
// readers print, so that their results can be compared.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace assay::bench {

inline std::uint32_t MaskedCrc(std::span<const std::byte> bytes) { return std::rotr(Crc32c(bytes), 15) + 0xA282EAD8U; }

struct TagSummary {
  std::size_t count = 0;
  std::size_t nans = 0;
  double sum = 0;
  double steps = 0;  // sum of the steps

  void Add(double value, std::int64_t step) {
    ++count;
    if (std::isnan(value)) {
      ++nans;
    } else {
      sum += value;
    }
    steps += static_cast<double>(step);
  }
};

inline void Print(const std::map<std::string, TagSummary, std::less<>>& tags) {
  for (const auto& [name, tag] : tags) {
    std::printf("tag %s %zu %zu %.17g %.17g\n", name.c_str(), tag.count, tag.nans, tag.sum, tag.steps);
  }
}

}  // namespace assay::bench
