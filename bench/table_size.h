// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include "evidence/facts/fact_store.h"

namespace assay::bench {

// What the tables of a reader hold, in bytes: results ROWS VALUES BYTES. Blank cells are not counted.
inline void PrintResults(const FactView& facts) {
  std::size_t rows = 0;
  std::size_t values = 0;
  for (const MetricTable& table : facts.tables()) {
    rows += table.row_count();
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      table.ForEachValue(column, [&](std::size_t, double) { ++values; });
    }
  }
  std::printf("results %zu %zu %zu\n", rows, values, rows * sizeof(MetricRow) + values * sizeof(double));
}

}  // namespace assay::bench
