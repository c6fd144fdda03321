// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::Cell;
using testing::ExpectBearsDamage;
using testing::ExpectNoTables;
using testing::OnlyTable;
using testing::ReadLogText;

constexpr std::string_view kLog = "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\n";

TEST(Apex, AnOverflowIsARowWithTheScaleThatFollows) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "apex");
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(Cell(table, 0, "loss_scale"), 32768);
  EXPECT_EQ(Cell(table, 0, "skipped"), 1);
}

TEST(Apex, LeavesTheWarningWithoutAScaleAlone) { ExpectNoTables("Gradient overflow.  Skipping step, loss scaler 0 is static\n"); }

TEST(Apex, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
