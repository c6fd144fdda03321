// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/series_tables.h"

#include <cmath>
#include <limits>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::size_t kMaxColumns = 512;
constexpr std::uint64_t kFreeBlanks = 1'000'000;
constexpr std::uint64_t kBlanksPerValue = 8;

}  // namespace

std::size_t SeriesTables::FindAmongAll(std::string_view name) {
  if (name.size() > kMaxNameLength || (series_.size() >= kMaxSeries && !by_name_.contains(std::string(name)))) {
    Overflow("A series is beyond the limits of 20000 series and 1024 bytes a name; the values of such series were not read.");
    return kNone;
  }
  const auto [at, added] = by_name_.try_emplace(std::string(name), series_.size());
  if (added) series_.push_back({.name = at->first});
  if (previous_ != kNone) series_[previous_].next = at->second;
  return previous_ = at->second;
}

void SeriesTables::Add(std::size_t index, double value) {
  if (values_ >= kMaxValues) [[unlikely]]
    return Overflow("The file holds more than 20 million values; the rest was not read.");
  Series& series = series_[index];
  if (series.group == kNone) {
    const bool joins = open_ != kNone && Continues(groups_[open_]) && groups_[open_].table->columns().size() < kMaxColumns;
    Enter(series, joins ? open_ : NewGroup());
  }
  const Group& known = groups_[series.group];
  bool shares_row = known.rows > 0 && series.group == open_ && series.cells < known.rows && Continues(known);
  const std::size_t blanks = (shares_row ? known.rows - 1 : known.rows) - series.cells;
  if (blanks == 0 || Affordable(blanks)) {
    blanks_ += blanks;
  } else {
    Enter(series, NewGroup());
    shares_row = false;
  }
  Group& group = groups_[series.group];
  if (!shares_row) {
    group.row = &group.table->AddRow(record_);
    ++group.rows;
  }
  group.row->length = static_cast<std::uint32_t>(end_ - group.row->offset);
  group.last_time = record_.time;
  group.last_end = end_;
  // Not the NaN of the file: a payload could mean "blank" to the table.
  group.table->Set(series.column, std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  series.cells = group.rows;
  ++values_;
  open_ = series.group;
}

bool SeriesTables::Affordable(std::uint64_t blanks) const { return blanks_ + blanks <= kFreeBlanks + kBlanksPerValue * values_; }

std::size_t SeriesTables::NewGroup() {
  MetricTable& table = facts_.AddTable(source_, writer_);
  table.times_zoned = true;
  groups_.push_back({.table = &table});
  return groups_.size() - 1;
}

void SeriesTables::Enter(Series& series, std::size_t group) {
  series.group = group;
  series.column = groups_[group].table->Column(Printable(series.name, kMaxNameLength));
  series.cells = 0;
}

void SeriesTables::Overflow(std::string statement) {
  if (!overflowed_) damage_.Add(AnomalyKind::kOverlong, record_.offset, end_, std::move(statement));
  overflowed_ = true;
}

}  // namespace assay
