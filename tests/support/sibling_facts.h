// SPDX-License-Identifier: Apache-2.0
#pragma once

// Literal facts of a run and of another run of its project.

#include <limits>
#include <string_view>

#include "evidence/facts/fact_store.h"

namespace assay::testing {

inline void State(FactStore& store, std::string_view path, std::string_view key, std::string_view value) {
  const SourceId source = store.AddSource({.path = std::string(path)});
  store.Add(ConfigValue{.key = std::string(key), .value = std::string(value), .cite = {.source = source, .begin = 0, .end = 4}});
}

// A log of `rows` steps whose loss is given by the step, and its shape.
inline MetricTable& Log(FactStore& store, std::string_view path, int rows, double (*loss)(int)) {
  const SourceId source = store.AddSource({.path = std::string(path), .format = "text-log"});
  store.Add(LogShape{.source = source, .bytes = 5000, .lines = static_cast<std::uint64_t>(rows) + 10});
  MetricTable& table = store.AddTable(source, "key-value");
  for (int i = 1; i <= rows; ++i) {
    table.AddRow({.step = i, .offset = static_cast<std::uint64_t>(i) * 20, .length = 19});
    table.Set(table.Column("loss"), loss(i));
  }
  return table;
}

}  // namespace assay::testing
