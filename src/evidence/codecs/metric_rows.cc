// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/metric_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "base/whole_number.h"

namespace assay {
namespace {

constexpr std::size_t kMaxColumns = 1024;
constexpr std::size_t kMaxNameBytes = 256;
// A column that appears late costs a blank cell for every row above. Real files have few such columns.
constexpr std::uint64_t kFreePadding = std::uint64_t{4} << 20U;
constexpr std::uint64_t kPaddingPerValue = 8;

}  // namespace

int StepNameRank(std::string_view name) {
  const std::string lower = ToLower(name);
  for (const std::string_view known :
       {"global_step", "trainer/global_step", "train/global_step", "num_updates", "train_num_updates"}) {
    if (lower == known) return 3;
  }
  for (const std::string_view known : {"step", "steps", "iteration", "iterations", "iter", "train_step", "train_steps", "it"}) {
    if (lower == known) return 2;
  }
  return lower == "_step" ? 1 : 0;
}

bool IsEpochName(std::string_view name) {
  const std::string lower = ToLower(name);
  return lower == "epoch" || lower == "epochs" || lower == "train/epoch" || lower == "_epoch";
}

bool IsClockName(std::string_view name) {
  const std::string lower = ToLower(name);
  return lower == "_timestamp" || lower == "timestamp" || lower == "wall_time" || lower == "walltime";
}

void MetricRows::Take(std::string_view name, double value) {
  std::string key(name.substr(0, kMaxNameBytes));
  const auto known = index_.find(key);
  if (known != index_.end()) {
    values_.emplace_back(known->second, value);
    return;
  }
  if (names_.size() == kMaxColumns) {
    names_dropped_ = true;
    return;
  }
  const int rank = StepNameRank(key);
  const Role role = rank > 0 ? Role::kStep : IsEpochName(key) ? Role::kEpoch : IsClockName(key) ? Role::kClock : Role::kValue;
  index_.emplace(key, names_.size());
  values_.emplace_back(names_.size(), value);
  names_.push_back({.text = std::move(key), .role = role, .rank = rank});
}

void MetricRows::Overflow(std::uint64_t begin, std::uint64_t end) {
  if (overflow_said_) return;
  overflow_said_ = true;
  facts_.AddAnomaly({.kind = AnomalyKind::kOverlong,
                     .cite = {.source = source_, .begin = begin, .end = end},
                     .statement = "The metrics have more names than assay keeps; from this row on some values were left out."});
}

void MetricRows::Commit(std::uint64_t begin, std::uint64_t end) {
  if (values_.empty()) return;
  MetricRow row{.offset = begin, .length = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, 0xFFFFFFFF))};
  int best_rank = 0;
  for (const auto& [index, value] : values_) {
    const Name& name = names_[index];
    if (const auto step = WholeNumber(value); name.role == Role::kStep && name.rank > best_rank && step) {
      row.step = *step;
      best_rank = name.rank;
    }
    if (name.role == Role::kEpoch) row.epoch = value;
    // Milliseconds, as some writers count, are told by their size.
    if (name.role == Role::kClock && value > 1e8) row.time = value > 1e11 ? value / 1000 : value;
  }
  if (table_ == nullptr) table_ = &facts_.AddTable(source_, writer_);
  if (!std::isnan(row.time)) table_->times_zoned = true;
  const bool went_back = row.step != kNoStep && last_step_ != kNoStep && row.step < last_step_;
  const bool next_epoch = !std::isnan(row.epoch) && row.epoch > last_epoch_;
  const bool epoch_back = row.step == kNoStep && !std::isnan(row.epoch) && row.epoch < last_epoch_;
  if ((went_back && !next_epoch) || epoch_back) ++attempt_;
  if (row.step != kNoStep) last_step_ = row.step;
  if (!std::isnan(row.epoch)) last_epoch_ = row.epoch;
  row.attempt = attempt_;
  table_->AddRow(row);
  const std::uint64_t rows = table_->row_count();
  for (const auto& [index, value] : values_) {
    Name& name = names_[index];
    if (name.role != Role::kValue) continue;
    const std::uint64_t padding = rows - 1 - std::min(name.filled_to, rows - 1);
    if (padding_ + padding > kFreePadding + kPaddingPerValue * set_) {
      Overflow(begin, end);
      continue;
    }
    if (name.column == static_cast<std::size_t>(-1)) name.column = table_->Column(name.text);
    table_->Set(name.column, value);
    padding_ += padding;
    name.filled_to = rows;
    ++set_;
  }
  if (names_dropped_) Overflow(begin, end);
  values_.clear();
}

}  // namespace assay
