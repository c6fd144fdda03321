// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/metric_collector.h"

#include <cmath>

#include "base/text.h"

namespace assay {

void MetricCollector::Add(const Dialect& dialect, const LogLine& line, const MetricLine& values) {
  Writer& writer = writers_[{&dialect, line.rank.value_or(-1)}];
  if (writer.table == nullptr) {
    writer.table = &facts_.AddTable(source_, dialect.id);
    writer.table->rank = line.rank;
  }
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
  for (const MetricLine::Value& value : values.values()) table.Set(table.Column(value.name), value.value);
}

}  // namespace assay
