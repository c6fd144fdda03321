// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/metric_rows.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

TEST(MetricRows, FindsStepEpochAndTimeAmongTheNames) {
  FactStore facts;
  MetricRows rows(facts, kNoSource, "test");
  EXPECT_EQ(rows.table(), nullptr);
  rows.Take("_step", 3);
  rows.Take("global_step", 30);
  rows.Take("epoch", 1.5);
  rows.Take("_timestamp", 1700000000.5);
  rows.Take("loss", NAN);
  rows.Commit(10, 20);
  ASSERT_NE(rows.table(), nullptr);
  const MetricTable& table = *rows.table();
  EXPECT_EQ(table.row(0).step, 30);
  EXPECT_EQ(table.row(0).epoch, 1.5);
  EXPECT_EQ(table.row(0).time, 1700000000.5);
  EXPECT_TRUE(table.times_zoned);
  EXPECT_EQ(table.Cite(0).end, 20U);
  ASSERT_EQ(table.columns().size(), 1U);
  EXPECT_TRUE(std::isnan(table.At(0, 0).value()));
}

TEST(MetricRows, TellsRestartsApart) {
  FactStore facts;
  MetricRows rows(facts, kNoSource, "test");
  for (const double step : {1.0, 2.0, 3.0, 2.0, 3.0}) {
    rows.Take("step", step);
    rows.Take("loss", 1);
    rows.Commit(0, 1);
  }
  EXPECT_EQ(rows.table()->row(2).attempt, 0U);
  EXPECT_EQ(rows.table()->row(3).attempt, 1U);
}

TEST(MetricRows, AStepThatStartsAgainInTheNextEpochIsNoRestart) {
  FactStore facts;
  MetricRows rows(facts, kNoSource, "test");
  for (const auto& [epoch, step] : {std::pair{1.0, 1.0}, {1.0, 2.0}, {2.0, 1.0}}) {
    rows.Take("epoch", epoch);
    rows.Take("step", step);
    rows.Commit(0, 1);
  }
  EXPECT_EQ(rows.table()->row(2).attempt, 0U);
}

TEST(MetricRows, BlanksStayBlankAndDroppedRowsLeaveNothing) {
  FactStore facts;
  MetricRows rows(facts, kNoSource, "test");
  rows.Take("a", 0);
  rows.Drop();
  rows.Commit(0, 1);
  EXPECT_EQ(rows.table(), nullptr);
  rows.Take("a", 0);
  rows.Commit(0, 1);
  rows.Take("b", 1);
  rows.Commit(1, 2);
  EXPECT_EQ(rows.table()->At(0, 0), 0.0);
  EXPECT_EQ(rows.table()->At(1, 0), std::nullopt);
  EXPECT_EQ(rows.table()->At(0, 1), std::nullopt);
}

TEST(MetricRows, ManyNamesAreBounded) {
  FactStore facts;
  MetricRows rows(facts, kNoSource, "test");
  for (int i = 0; i < 30000; ++i) {
    rows.Take("name" + std::to_string(i % 5000), 1);
    rows.Commit(0, 1);
  }
  EXPECT_LE(rows.table()->columns().size(), 1024U);
  EXPECT_EQ(FactView(facts).anomalies().size(), 1U);
}

TEST(MetricRows, StepsThatAreNoNumbersAreNone) {
  FactStore facts;
  MetricRows rows(facts, kNoSource, "test");
  rows.Take("step", INFINITY);
  rows.Take("loss", 1);
  rows.Commit(0, 1);
  EXPECT_EQ(rows.table()->row(0).step, kNoStep);
}

}  // namespace
}  // namespace assay
