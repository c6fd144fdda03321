// SPDX-License-Identifier: Apache-2.0
#pragma once

// Puts the values of a source that logs each of its series by name into metric tables. Values that one logging call wrote
// stand in one row, so that rules can compare the loss with the norm of the same step: they come from one record, or follow
// each other with the same step and nearly the same time. A series stays in the table of the row that it first shared; series
// that are logged at other times get tables of their own, for otherwise they fill each other's tables with blanks.
// Memory: that of the tables; blanks are bounded by a multiple of the values.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "evidence/codecs/damage_report.h"
#include "evidence/facts/fact_store.h"

namespace assay {

class SeriesTables {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::size_t kMaxSeries = 20'000;
  static constexpr std::size_t kMaxNameLength = 1024;
  static constexpr std::uint64_t kMaxValues = 20'000'000;

  // Times are since the epoch. What is beyond the limits is left out and told once in `damage`. All is borrowed.
  SeriesTables(SourceId source, std::string_view writer, FactStore& facts, DamageReport& damage)
      : source_(source),
        writer_(writer),
        facts_(facts),
        damage_(damage) {}

  // The record that the next values come from: its step, time, attempt, and its bytes [row.offset, end).
  void StartRecord(const MetricRow& row, std::uint64_t end) {
    record_ = row;
    end_ = end;
  }
  // The number of the series of this name, counted from 0 in order of appearance; kNone for one that cannot be kept.
  std::size_t Find(std::string_view name) {
    if (previous_ != kNone) {
      const std::size_t guess = series_[previous_].next;
      if (guess != kNone && EqualsShort(series_[guess].name, name)) return previous_ = guess;
    }
    return FindAmongAll(name);
  }
  void Add(std::size_t series, double value);

  bool has_rows() const { return values_ > 0; }

 private:
  struct Group {
    MetricTable* table;
    std::size_t rows = 0;
    MetricRow* row = nullptr;  // the last one
    double last_time = 0;      // of the last value in it
    std::uint64_t last_end = 0;
  };
  struct Series {
    std::size_t group = kNone;
    std::size_t column = 0;
    std::size_t cells = 0;     // of its column
    std::size_t next = kNone;  // what came after it: writers log the same series in the same order
    std::string_view name;     // the key in by_name_
  };

  static constexpr std::uint64_t kMaxRowBytes = std::uint64_t{1} << 20U;
  static constexpr double kBurst = 1.0;  // seconds between two values that one logging call may take

  bool Continues(const Group& group) const {
    if (group.row == nullptr || group.row->attempt != record_.attempt || group.row->step != record_.step) return false;
    if (group.last_end == end_) return true;
    return std::abs(record_.time - group.last_time) <= kBurst && end_ - group.row->offset <= kMaxRowBytes;
  }
  std::size_t FindAmongAll(std::string_view name);
  bool Affordable(std::uint64_t blanks) const;
  std::size_t NewGroup();
  void Enter(Series& series, std::size_t group);
  void Overflow(std::string statement);

  SourceId source_;
  std::string writer_;
  FactStore& facts_;
  DamageReport& damage_;
  std::vector<Group> groups_;
  std::vector<Series> series_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::size_t previous_ = kNone;  // the series of the last value
  std::size_t open_ = kNone;      // the group of the last value
  std::uint64_t blanks_ = 0;
  std::uint64_t values_ = 0;
  bool overflowed_ = false;
  MetricRow record_;
  std::uint64_t end_ = 0;
};

}  // namespace assay
