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

constexpr std::string_view kChainer =
    "epoch       main/loss   main/accuracy  elapsed_time\n"
    "1           0.1912      0.9417         18.2\n"
    "15          0.0031      0.9990         402.5\n"
    "done\n";

TEST(PrintedTable, ReadsPrintReport) {
  const FactStore facts = ReadLogText(kChainer);
  const MetricTable& table = OnlyTable(facts, "printed-table");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(1).epoch, 15);
  EXPECT_EQ(Cell(table, 1, "main/loss"), 0.0031);
  EXPECT_EQ(Cell(table, 1, "elapsed_time"), 402.5);
  ExpectBearsDamage(kChainer);
}

TEST(PrintedTable, ReadsFastaiSkorchAndRich) {
  constexpr std::string_view kLog =
      "epoch     train_loss  valid_loss  accuracy  time    \n"
      "0         0.512345    0.412345    0.910000  00:10     \n"
      "  epoch    train_loss    valid_acc    valid_loss     dur\n"
      "-------  ------------  -----------  ------------  ------\n"
      "      1        0.6868       0.6000        0.6745  0.0451\n"
      "| epoch | loss | acc |\n"
      "|-------|------|-----|\n"
      "| 2 | 0.25 | 0.75 |\n"
      "┃ Epoch ┃ loss ┃ acc ┃\n"
      "┡━━━━━━━╇━━━━━━╇━━━━━┩\n"
      "│ 3     │ 0.125│ 0.5 │\n";
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "printed-table");
  ASSERT_EQ(table.row_count(), 4U);
  EXPECT_EQ(Cell(table, 0, "epoch_time"), 10);
  EXPECT_EQ(Cell(table, 1, "valid_loss"), 0.6745);
  EXPECT_EQ(table.row(2).epoch, 2);
  EXPECT_EQ(Cell(table, 2, "loss"), 0.25);
  EXPECT_EQ(table.row(3).epoch, 3);
  EXPECT_EQ(Cell(table, 3, "acc"), 0.5);
  ExpectBearsDamage(kLog);
}

TEST(PrintedTable, LeavesProseAndListsAlone) {
  ExpectNoTables("the epoch  is over\nthe loss  was small\n1  2  3\n");
  ExpectNoTables("epoch  loss  and many other things\nwere printed\n");
  ExpectNoTables("epoch  loss\nnothing\n1  0.5\n");
}

TEST(PrintedTable, LeavesRowsWithMissingCellsAlone) {
  // Which cell is missing cannot be told: the values would land in the wrong columns.
  ExpectNoTables("epoch       main/loss   main/accuracy  elapsed_time\n1           0.1912      18.2\n");
}

}  // namespace
}  // namespace assay
