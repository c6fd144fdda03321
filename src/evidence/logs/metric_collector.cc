// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/metric_collector.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace assay {

MetricCollector::Writer* MetricCollector::WriterOf(const Dialect& dialect, const LogLine& line) {
  const std::pair<const Dialect*, int> key{&dialect, line.rank.value_or(-1)};
  if (last_writer_ != nullptr && key == last_key_) return last_writer_;
  auto found = writers_.find(key);
  if (found == writers_.end()) {
    if (writers_.size() == kMaxTables) return nullptr;
    found = writers_.emplace(key, Writer{}).first;
    found->second.table = &facts_.AddTable(source_, dialect.id);
    found->second.table->rank = line.rank;
  }
  last_key_ = key;
  last_writer_ = &found->second;
  return last_writer_;
}

std::optional<std::size_t> MetricCollector::ColumnOf(Writer& writer, std::size_t position, std::string_view name) {
  MetricTable& table = *writer.table;
  if (position < writer.columns.size() && EqualsShort(table.columns()[writer.columns[position]].name, name))
    return writer.columns[position];
  std::optional<std::size_t> column = table.FindName(name);
  if (!column) {
    if (table.columns().size() == kMaxColumns || name.size() > kLongestName) return std::nullopt;
    column = table.Column(name);
  }
  if (position >= writer.columns.size()) writer.columns.resize(position + 1);
  writer.columns[position] = *column;
  return column;
}

bool MetricCollector::MayReach(Writer& writer, std::size_t column, const Citation& cite) {
  if (column >= writer.filled.size()) writer.filled.resize(column + 1, 0);
  const std::size_t rows = writer.table->row_count();
  const std::uint64_t missing = rows - std::min(rows, writer.filled[column] + 1);
  if (missing > 0 && blanks_ + missing > kFreeBlanks + cite.end) return false;
  blanks_ += missing;
  writer.filled[column] = rows;
  return true;
}

void MetricCollector::SayTooMuch(const Citation& cite) {
  if (too_much_said_) return;
  too_much_said_ = true;
  facts_.AddAnomaly(
      {.kind = AnomalyKind::kOverlong,
       .cite = cite,
       .statement = "The log holds more writers or names of metrics than are kept; some of its values were dropped."});
}

void MetricCollector::Add(const Dialect& dialect, const LogLine& line, const MetricLine& values) {
  Writer* const found = WriterOf(dialect, line);
  if (found == nullptr) return SayTooMuch(line.cite);
  Writer& writer = *found;
  MetricTable& table = *writer.table;
  if (values.planned_steps > 0) table.planned_steps = values.planned_steps;
  if (values.planned_epochs > 0) table.planned_epochs = values.planned_epochs;
  if (line.time) table.times_zoned = line.time->zoned;

  MetricRow row{.step = values.step,
                .epoch = values.epoch,
                .time = line.time ? line.time->seconds : std::numeric_limits<double>::quiet_NaN(),
                .offset = line.cite.begin,
                .length = static_cast<std::uint32_t>(line.cite.end - line.cite.begin)};
  // A step that goes back although the epoch did not move on is a restart that read an older checkpoint.
  const bool went_back = row.step != kNoStep && writer.last_step != kNoStep && row.step < writer.last_step;
  const bool next_epoch = !std::isnan(row.epoch) && row.epoch > writer.last_epoch;
  if (went_back && !next_epoch) ++writer.attempt;
  if (row.step != kNoStep) writer.last_step = row.step;
  if (!std::isnan(row.epoch)) writer.last_epoch = row.epoch;
  row.attempt = writer.attempt;
  table.AddRow(row);
  std::size_t position = 0;
  for (const MetricLine::Value& value : values.values()) {
    const auto column = ColumnOf(writer, position++, value.name);
    if (column && MayReach(writer, *column, line.cite)) {
      table.Set(*column, value.value);
    } else {
      SayTooMuch(line.cite);
    }
  }
}

}  // namespace assay
