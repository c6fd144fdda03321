// SPDX-License-Identifier: Apache-2.0
#include "evidence/facts/metric_table.h"

#include <bit>

#include "evidence/facts/metric_names.h"

namespace assay {
namespace {

// A NaN that no arithmetic makes: quiet, with a payload of its own.
constexpr std::uint64_t kBlankBits = 0x7FF8B1A4B1A4B1A4;

}  // namespace

double MetricTable::Blank() { return std::bit_cast<double>(kBlankBits); }
bool MetricTable::IsBlank(double value) { return std::bit_cast<std::uint64_t>(value) == kBlankBits; }

std::size_t MetricTable::Column(std::string_view name) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  columns_.push_back({.name = std::string(name), .metric = MetricOfName(name)});
  values_.emplace_back();
  return columns_.size() - 1;
}

void MetricTable::AddRow(const MetricRow& row) { rows_.push_back(row); }

void MetricTable::Set(std::size_t column, double value) {
  std::deque<double>& values = values_[column];
  while (values.size() + 1 < rows_.size()) values.push_back(Blank());
  if (values.size() == rows_.size()) {
    values.back() = value;
  } else {
    values.push_back(value);
  }
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
