// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds a MetricTable from rows of named numbers, as files of metrics hold them: finds out which names are the step, the epoch
// and the time, tells restarts apart, and keeps hostile files from growing the table without bound. Log lines have their own way
// (logs/metric_collector.h), because their dialects know the step.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

// The name counts steps ("step", "iteration", "train/global_step"); of several in one row the higher rank is the step. 0: it does
// not.
int StepNameRank(std::string_view name);
bool IsEpochName(std::string_view name);  // "epoch", "train/epoch"
bool IsClockName(std::string_view name);  // seconds since 1970: "_timestamp", "wall_time"

class MetricRows {
 public:
  // No table is made before the first row. `writer` is the id of the format.
  MetricRows(FactStore& facts, SourceId source, std::string_view writer) : facts_(facts), source_(source), writer_(writer) {}

  // Forgets the values taken since the last Commit: what they belonged to was cut.
  void Drop() { values_.clear(); }
  void Take(std::string_view name, double value);
  // Ends the row; bytes [begin, end) of the source say it. A row without any number is none.
  void Commit(std::uint64_t begin, std::uint64_t end);
  std::size_t pending() const { return values_.size(); }

  MetricTable* table() { return table_; }  // nullptr: no row yet

 private:
  enum class Role : std::uint8_t { kValue, kStep, kEpoch, kClock };
  struct Name {
    std::string text;
    Role role = Role::kValue;
    int rank = 0;
    std::size_t column = static_cast<std::size_t>(-1);
    std::uint64_t filled_to = 0;  // rows for which the table holds a cell
  };
  void Overflow(std::uint64_t begin, std::uint64_t end);

  FactStore& facts_;
  SourceId source_;
  std::string writer_;
  MetricTable* table_ = nullptr;
  std::vector<Name> names_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::pair<std::size_t, double>> values_;
  std::int64_t last_step_ = kNoStep;
  double last_epoch_ = 0;
  std::uint32_t attempt_ = 0;
  std::uint64_t padding_ = 0;  // blank cells made so far
  std::uint64_t set_ = 0;      // cells with a value
  bool overflow_said_ = false;
  bool names_dropped_ = false;
};

}  // namespace assay
