// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/series_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

class SeriesTablesTest : public ::testing::Test {
 protected:
  void Log(std::int64_t step, double time, std::initializer_list<std::string_view> names, double value = 1) {
    tables_.StartRecord({.step = step, .time = time, .offset = at_}, at_ + 10);
    at_ += 10;
    for (const std::string_view name : names) {
      if (const std::size_t series = tables_.Find(name); series != SeriesTables::kNone) tables_.Add(series, value);
    }
  }
  const std::deque<MetricTable>& tables() { return facts_.tables(); }

  FactStore facts_;
  DamageReport damage_{SourceId{0}, facts_};
  SeriesTables tables_{SourceId{0}, "test", facts_, damage_};
  std::uint64_t at_ = 0;
};

TEST_F(SeriesTablesTest, NeighboursOfOneStepShareARow) {
  Log(1, 100, {"loss"});
  Log(1, 100.5, {"norm"});
  Log(1, 101, {"lr"});
  Log(2, 101.1, {"loss"});
  ASSERT_EQ(tables().size(), 1U);
  const MetricTable& table = tables()[0];
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(0).time, 100);
  EXPECT_EQ(table.Cite(0).begin, 0U);
  EXPECT_EQ(table.Cite(0).end, 30U);
  EXPECT_FALSE(table.At(1, 1).has_value());
  EXPECT_EQ(table.writer, "test");
}

TEST_F(SeriesTablesTest, ValuesOfOneRecordShareARowWithoutAnyTime) {
  Log(kNoStep, std::nan(""), {"a", "b"});
  Log(kNoStep, std::nan(""), {"a", "b"});
  ASSERT_EQ(tables().size(), 1U);
  EXPECT_EQ(tables()[0].row_count(), 2U);
}

TEST_F(SeriesTablesTest, OtherTimesAndOtherStepsAreOtherRows) {
  Log(1, 100, {"loss"});
  Log(1, 300, {"eval_loss"});
  Log(2, 300.1, {"loss"});
  ASSERT_EQ(tables().size(), 2U);
  EXPECT_EQ(tables()[0].row_count(), 2U);
  EXPECT_EQ(tables()[1].row_count(), 1U);
}

TEST_F(SeriesTablesTest, ANameThatComesTwiceInARecordIsTwoRows) {
  Log(1, 100, {"loss", "loss"});
  EXPECT_EQ(tables()[0].row_count(), 2U);
}

TEST_F(SeriesTablesTest, ARareSeriesDoesNotFillATableWithBlanks) {
  Log(0, 0, {"often", "rare"});
  for (int i = 1; i < 1'200'000; ++i) Log(i, i * 2, {"often"});
  Log(1'200'000, 2'400'000, {"often", "rare"});
  EXPECT_EQ(tables().size(), 1U);  // blanks are a multiple of the values
  for (int i = 1; i < 200; ++i) Log(0, 0, {"often", "rare", "x" + std::to_string(i)});
  std::uint64_t blanks = 0;
  for (const MetricTable& table : tables()) {
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      std::size_t last = 0;
      std::size_t values = 0;
      for (std::size_t r = 0; r < table.row_count(); ++r) {
        if (table.At(r, c)) last = r + 1, ++values;
      }
      blanks += last - values;
    }
  }
  EXPECT_LE(blanks, 1'000'000U + 8 * 1'210'000U);
}

TEST_F(SeriesTablesTest, TellsOnceThatThereAreTooManySeries) {
  for (std::size_t i = 0; i < SeriesTables::kMaxSeries + 500; ++i) Log(1, 1, {"s" + std::to_string(i)});
  Log(2, 2, {std::string(2000, 'x')});
  ASSERT_EQ(FactView(facts_).anomalies().size(), 1U);
  EXPECT_EQ(FactView(facts_).anomalies()[0].kind, AnomalyKind::kOverlong);
  for (const MetricTable& table : tables()) EXPECT_LE(table.columns().size(), 512U);
  Log(3, 3, {"s5"});
  EXPECT_EQ(FactView(facts_).anomalies().size(), 1U);
}

}  // namespace
}  // namespace assay
