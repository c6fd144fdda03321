// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every dialect must bear, checked through the whole log reader.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/reading.h"

namespace assay::testing {

// Every value of every table, with the byte at which its line begins.
inline std::set<std::string> Cells(const FactStore& facts) {
  std::set<std::string> cells;
  const auto add = [&](std::uint64_t offset, std::string_view name, double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%llu %a ", static_cast<unsigned long long>(offset), value);
    cells.insert(text + std::string(name));
  };
  const FactView view(facts);
  for (const MetricTable& table : view.tables()) {
    for (std::size_t i = 0; i < table.row_count(); ++i) {
      const MetricRow& row = table.row(i);
      if (row.step != kNoStep) add(row.offset, "(step)", static_cast<double>(row.step));
      if (!std::isnan(row.epoch)) add(row.offset, "(epoch)", row.epoch);
      for (std::size_t c = 0; c < table.columns().size(); ++c) {
        if (const auto value = table.At(i, c)) add(row.offset, table.columns()[c].name, *value);
      }
    }
  }
  return cells;
}

// A cut log says less than the whole one, never something else. Flipped bytes neither crash nor cite bytes that are not there.
inline void ExpectBearsDamage(std::string_view text) {
  const std::set<std::string> whole = Cells(ReadLogText(text));
  for (std::size_t length = 0; length < text.size(); ++length) {
    const FactStore facts = ReadLogText(text.substr(0, length));
    ExpectCitationsInside(facts, length);
    for (const std::string& cell : Cells(facts)) {
      EXPECT_TRUE(whole.contains(cell)) << "cut at byte " << length << " says " << cell << ": " << text.substr(0, length);
    }
    if (::testing::Test::HasFailure()) return;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const unsigned pattern : {0x01U, 0x80U, 0xFFU}) {
      std::string damaged(text);
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ pattern);
      ExpectCitationsInside(ReadLogText(damaged), damaged.size());
    }
  }
}

// The only table of `text`, written by `writer`.
inline const MetricTable& OnlyTable(const FactStore& facts, std::string_view writer) {
  static const MetricTable kNone;
  const FactView view(facts);
  EXPECT_EQ(view.tables().size(), 1U);
  if (view.tables().size() != 1) return kNone;
  EXPECT_EQ(view.tables().front().writer, writer);
  return view.tables().front();
}

inline double Cell(const MetricTable& table, std::size_t row, std::string_view column) {
  const auto index = table.FindName(column);
  EXPECT_TRUE(index.has_value()) << column;
  const auto value = index ? table.At(row, *index) : std::nullopt;
  EXPECT_TRUE(value.has_value()) << column << " of row " << row;
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

inline bool IsBlankCell(const MetricTable& table, std::size_t row, std::string_view column) {
  const auto index = table.FindName(column);
  return !index || !table.At(row, *index);
}

inline void ExpectNoTables(std::string_view text) { EXPECT_TRUE(FactView(ReadLogText(text)).tables().empty()) << text; }

}  // namespace assay::testing
