// SPDX-License-Identifier: Apache-2.0
#include "evidence/facts/metric_table.h"

#include "evidence/facts/metric_names.h"

namespace assay {

std::size_t MetricTable::Column(std::string_view name) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  columns_.push_back({.name = std::string(name), .metric = MetricOfName(name)});
  values_.emplace_back();
  return columns_.size() - 1;
}

std::optional<std::size_t> MetricTable::Find(Metric metric) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].metric == metric) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> MetricTable::FindName(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace assay
