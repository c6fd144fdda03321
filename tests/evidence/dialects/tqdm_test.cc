// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::Cell;
using testing::ExpectBearsDamage;
using testing::ExpectNoTables;
using testing::Fixture;
using testing::OnlyTable;
using testing::ReadLogText;

TEST(Tqdm, ReadsThePostfixOfRealBars) {
  const std::string text = Fixture("tqdm/bars/train.log");
  const FactStore facts = ReadLogText(text);
  const FactView view(facts);
  ASSERT_FALSE(view.tables().empty());
  const MetricTable& table = view.tables().front();
  EXPECT_EQ(table.writer, "tqdm");
  EXPECT_EQ(table.row(0).step, 0);
  EXPECT_EQ(table.row(0).epoch, 0);
  EXPECT_EQ(Cell(table, 0, "loss"), 2.5);
  EXPECT_EQ(Cell(table, 0, "lr"), 0.0003);
  EXPECT_TRUE(std::isnan(Cell(table, table.row_count() - 1, "loss")));
}

TEST(Tqdm, ReadsPostfixesWithoutRateAndValuesInFront) {
  constexpr std::string_view kLog =
      "Epoch 2: 100%|####| 100/100 [00:05<00:00, loss=0.412]\n"
      "loss=nan, log_p=nan, logdet=nan]: 200it [05:16, 1.58s/it]\n";
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "tqdm");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(0).epoch, 2);
  EXPECT_EQ(table.row(0).step, 100);
  EXPECT_EQ(Cell(table, 0, "loss"), 0.412);
  EXPECT_EQ(table.row(1).step, 200);
  EXPECT_TRUE(std::isnan(Cell(table, 1, "logdet")));
  ExpectBearsDamage(kLog);
}

TEST(Tqdm, LeavesBarsWithoutValuesAlone) {
  ExpectNoTables("Downloading: 100%|####| 100/100 [00:05<00:00, 20.0MB/s]\n");
  ExpectNoTables("x=1: nothing 50%| here\n");
}

}  // namespace
}  // namespace assay
