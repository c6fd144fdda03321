// SPDX-License-Identifier: Apache-2.0
#pragma once

// MetricTable: what one writer logged, row by row, so that "the loss is 0.0 and the norm of the same line is NaN" or "this line
// has no loss" can be asked. A blank cell, NaN and 0.0 are three different things. Rows are in the order of the artifact.
// Memory: 40 bytes a row and 8 a value, in blocks that never move.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/block_vector.h"
#include "base/whole_number.h"
#include "evidence/facts/metric_names.h"
#include "evidence/facts/source.h"

namespace assay {

inline constexpr std::int64_t kNoStep = std::numeric_limits<std::int64_t>::min();

struct MetricColumn {
  std::string name;  // as the writer called it
  Metric metric = Metric::kOther;
};

struct MetricRow {
  std::int64_t step = kNoStep;
  double epoch = std::numeric_limits<double>::quiet_NaN();
  double time = std::numeric_limits<double>::quiet_NaN();  // seconds since the epoch (see MetricTable::times_zoned)
  std::uint64_t offset = 0;                                // bytes of the source
  std::uint32_t length = 0;
  std::uint32_t attempt = 0;  // 0-based; rises at a restart inside one source
};

class MetricTable {
 public:
  SourceId source = kNoSource;
  std::string writer;  // dialect or format id
  std::optional<int> rank;
  std::int64_t planned_steps = 0;  // the total that the writer announced, 0: none
  double planned_epochs = 0;
  bool times_zoned = false;
  bool step_is_position = false;  // steps are counted rows, because the writer printed none

  // Index of the column, made if it is new.
  std::size_t Column(std::string_view name);
  // A step beyond ±2^53 becomes kNoStep: rules take differences of steps, and what only damage or malice writes must not overflow
  // them. The row that is returned stays where it is.
  MetricRow& AddRow(const MetricRow& row) {
    MetricRow& added = rows_.push_back(row);
    if (row.step < -kLargestWhole || row.step > kLargestWhole) added.step = kNoStep;
    return added;
  }
  // In the last row.
  void Set(std::size_t column, double value) {
    BlockVector<double>& values = values_[column];
    if (values.size() < rows_.size()) {
      while (values.size() + 1 < rows_.size()) values.push_back(Blank());
      values.push_back(value);
    } else {
      values.back() = value;
    }
  }

  std::size_t row_count() const { return rows_.size(); }
  const MetricRow& row(std::size_t i) const { return rows_[i]; }
  std::span<const MetricColumn> columns() const { return columns_; }
  // nullopt: blank. NaN and infinities are values.
  std::optional<double> At(std::size_t row, std::size_t column) const {
    const BlockVector<double>& values = values_[column];
    if (row >= values.size()) return std::nullopt;
    const double value = values[row];
    return IsBlank(value) ? std::nullopt : std::optional(value);
  }
  // Calls each(row, value) for the cells of the column that are not blank, in order.
  template <class Each>
  void ForEachValue(std::size_t column, Each each) const {
    values_[column].ForEach([&](std::size_t row, double value) {
      if (!IsBlank(value)) each(row, value);
    });
  }
  // First column of this meaning; nullopt when there is none.
  std::optional<std::size_t> Find(Metric metric) const;
  std::optional<std::size_t> FindName(std::string_view name) const;
  Citation Cite(std::size_t row) const {
    return {.source = source, .begin = rows_[row].offset, .end = rows_[row].offset + rows_[row].length};
  }

 private:
  // A NaN that no arithmetic makes: quiet, with a payload of its own.
  static constexpr std::uint64_t kBlankBits = 0x7FF8B1A4B1A4B1A4;
  static double Blank() { return std::bit_cast<double>(kBlankBits); }
  static bool IsBlank(double value) { return std::bit_cast<std::uint64_t>(value) == kBlankBits; }

  std::vector<MetricColumn> columns_;
  BlockVector<MetricRow> rows_;
  std::vector<BlockVector<double>> values_;  // may be shorter than rows_: the rest is blank
};

}  // namespace assay
