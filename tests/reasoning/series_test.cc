// SPDX-License-Identifier: Apache-2.0
#include "reasoning/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

// 100 rows; the column holds the row's number in those that `has` accepts.
template <class Has>
MetricTable TableOf(Has has) {
  MetricTable table;
  const std::size_t column = table.Column("loss");
  for (std::size_t row = 0; row < 100; ++row) {
    table.AddRow({.step = static_cast<std::int64_t>(row), .attempt = row < 60 ? 0U : 1U});
    if (has(row)) table.Set(column, static_cast<double>(row));
  }
  return table;
}

TEST(Series, HoldsWhatIsNotBlankInOrder) {
  const auto patterns = {+[](std::size_t) { return true; }, +[](std::size_t row) { return row % 3 == 1; },
                         +[](std::size_t row) { return row > 10 && row < 90; }, +[](std::size_t row) { return row != 50; },
                         +[](std::size_t) { return false; }};
  for (const auto has : patterns) {
    const MetricTable table = TableOf(has);
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, 100}, {13, 100}, {0, 51}, {50, 51}, {7, 7}}) {
      std::vector<std::size_t> expected;
      for (std::size_t row = from; row < to; ++row) {
        if (has(row)) expected.push_back(row);
      }
      const Series series = Series(table, 0).From(from).Before(to);
      ASSERT_EQ(series.size(), expected.size());
      EXPECT_EQ(series.empty(), expected.empty());
      std::size_t i = 0;
      for (const SeriesPoint& p : series) {
        EXPECT_EQ(p.row, expected[i]);
        EXPECT_EQ(p.value, static_cast<double>(expected[i]));
        EXPECT_EQ(series[i].row, expected[i]);
        ++i;
      }
      EXPECT_EQ(i, expected.size());
      if (expected.empty()) continue;
      EXPECT_EQ(series.front().row, expected.front());
      EXPECT_EQ(series.back().row, expected.back());
      const auto most = std::max_element(series.begin(), series.end(),
                                         [](const SeriesPoint& a, const SeriesPoint& b) { return a.value < b.value; });
      EXPECT_EQ(most->row, expected.back());
      EXPECT_EQ(most - series.begin(), static_cast<std::ptrdiff_t>(expected.size()) - 1);
    }
  }
}

TEST(Series, KnowsNoColumn) {
  EXPECT_TRUE(SeriesOf(TableOf([](std::size_t) { return true; }), Metric::kGradNorm).empty());
  EXPECT_TRUE(Series().From(3).empty());
  EXPECT_TRUE(Series().Before(3).empty());
}

TEST(LastFinite, SkipsWhatIsNotFinite) {
  MetricTable table = TableOf([](std::size_t row) { return row < 99; });
  table.Set(0, std::nan(""));
  const std::vector<SeriesPoint> last = LastFinite(Series(table, 0), 3);
  ASSERT_EQ(last.size(), 3U);
  EXPECT_EQ(last[0].row, 96U);
  EXPECT_EQ(last[2].row, 98U);
  EXPECT_EQ(LastFinite(Series(table, 0), 1000).size(), 99U);
}

TEST(BeginOfLastAttempt, IsTheFirstRowBehindTheRestart) {
  EXPECT_EQ(BeginOfLastAttempt(TableOf([](std::size_t) { return true; })), 60U);
  EXPECT_EQ(BeginOfLastAttempt(MetricTable()), 0U);
}

}  // namespace
}  // namespace assay
