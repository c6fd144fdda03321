// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::Cell;
using testing::ExpectBearsDamage;
using testing::OnlyTable;
using testing::ReadLogText;

constexpr std::string_view kLog =
    "[13:03:25] INFO  epoch  1/40 train_error 0.5534 val_error 0.5641 failed_batches 0\n"
    "INFO 2026-08-30 04:01:02 speech: step 200 ctc 4.811 wait 1.9% lr 2.50e-05\n"
    "2026-09-03 22:03:56 epoch  3/50 train 0.5132 val 0.5052 acc 0.7211 216.9 s\n";

TEST(ProgressLine, ReadsStepsWhoseNumbersHaveOtherNames) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "progress-line");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.row(0).epoch, 1);
  EXPECT_EQ(Cell(table, 0, "train_error"), 0.5534);
  EXPECT_EQ(table.row(1).step, 200);
  EXPECT_EQ(table.row(2).epoch, 3);
  EXPECT_EQ(table.planned_epochs, 50);
}

TEST(ProgressLine, LeavesOtherLinesAlone) {
  const FactStore facts = ReadLogText(
      "resuming at step 4000 epoch 3 after 12.5 h\n"
      "saved step 500 size 2.1 time 31.5\n"
      "step 5\n"
      "planned: epoch 50 lr 0.1 wd 0.05\n"
      "epoch 3 took 12 s\n");
  EXPECT_TRUE(FactView(facts).tables().empty());
}

TEST(ProgressLine, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
