// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns of metric tables as series: what every rule about losses, norms, rates and scales asks of them.

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"
#include "reasoning/finding.h"

namespace assay {

struct SeriesPoint {
  std::size_t row;
  double value;
};

// The values of a column in order, blanks left out. A view into the table, which must outlive it: a copy of a long column would
// cost as much memory as the column. What it holds is where the stretches of rows without a blank begin.
class Series {
 public:
  class Iterator;

  Series() = default;
  // Rows [from, to) of the column.
  Series(const MetricTable& table, std::size_t column, std::size_t from = 0, std::size_t to = ~std::size_t{0});

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  SeriesPoint operator[](std::size_t i) const {
    const std::size_t row = RowOf(i);
    return {row, *table_->At(row, column_)};
  }
  SeriesPoint front() const { return (*this)[0]; }
  SeriesPoint back() const { return (*this)[size_ - 1]; }
  Iterator begin() const;
  Iterator end() const;

  Series From(std::size_t row) const { return empty() ? Series{} : Series(*table_, column_, row, back().row + 1); }
  Series Before(std::size_t row) const { return empty() ? Series{} : Series(*table_, column_, front().row, row); }

 private:
  struct Stretch {
    std::size_t first;  // number of the point with which it begins
    std::size_t row;
  };
  std::size_t RowOf(std::size_t i) const {
    const Stretch& stretch = i < second_ ? stretches_.front() : StretchOf(i);
    return stretch.row + (i - stretch.first);
  }
  const Stretch& StretchOf(std::size_t i) const;

  const MetricTable* table_ = nullptr;
  std::size_t column_ = 0;
  std::size_t size_ = 0;
  std::size_t second_ = 0;  // number of the point with which the second stretch begins, or size_
  std::vector<Stretch> stretches_;
};

class Series::Iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = SeriesPoint;
  using difference_type = std::ptrdiff_t;
  using reference = SeriesPoint;
  struct pointer {
    SeriesPoint point;
    const SeriesPoint* operator->() const { return &point; }
  };

  Iterator(const Series& series, std::size_t at) : series_(&series), at_(at) {}
  SeriesPoint operator*() const { return (*series_)[at_]; }
  pointer operator->() const { return {**this}; }
  Iterator& operator++() { return ++at_, *this; }
  Iterator& operator--() { return --at_, *this; }
  Iterator& operator+=(difference_type n) { return at_ = static_cast<std::size_t>(static_cast<difference_type>(at_) + n), *this; }
  friend Iterator operator+(Iterator i, difference_type n) { return i += n; }
  friend difference_type operator-(const Iterator& a, const Iterator& b) {
    return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

 private:
  const Series* series_;
  std::size_t at_;
};
inline Series::Iterator Series::begin() const { return {*this, 0}; }
inline Series::Iterator Series::end() const { return {*this, size_}; }

// The fullest column of this meaning; empty when there is none. A writer may print one quantity under two names, of which one
// stands in a single line.
Series SeriesOf(const MetricTable& table, Metric metric);
std::optional<std::size_t> FullestColumn(const MetricTable& table, Metric metric);
// The row with which the last attempt of the table begins.
std::size_t BeginOfLastAttempt(const MetricTable& table);
// The columns of the training's loss; its parts ("box_loss", "loss_d") where the table has no loss as a whole.
std::vector<std::size_t> LossColumns(const MetricTable& table);

// A training loss or a gradient norm of this run is non-finite somewhere: the questions about divergence are worth asking.
bool AnythingNonfinite(const FactView& facts);

std::vector<double> FiniteValues(const Series& series);
// The last `count` finite points in the order of the series, or as many as there are.
std::vector<SeriesPoint> LastFinite(const Series& series, std::size_t count);

// "step 120", "epoch 3" or "row 7 of its log".
std::string PlaceOf(const MetricTable& table, std::size_t row);

// Adds a finding that one row carries, with its step, epoch and rank unless an earlier one gave them.
Finding& AddAt(Findings& out, std::string_view rule, const MetricTable& table, std::size_t row, std::string_view id,
               std::string statement);

// The writer prints numbers with all the digits they have, so that a printed 0 is 0. Others may print few decimals.
bool PrintsAllDigits(const MetricTable& table, const FactView& facts);

// The planned steps of the run in the unit of this table's steps: what the writer announced, else what the config plans.
std::optional<double> PlannedSteps(const MetricTable& table, const FactView& facts);

// The loss of a policy, a critic or an adversary, which may be 0, negative or rise in a healthy run: other columns of the run say
// so.
bool LooksLikeReinforcementOrAdversary(const FactView& facts);

}  // namespace assay
