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
    "epoch 001:     10 / 500 loss=9.113, nll_loss=8.954, ppl=495.9, wps=41022, ups=2.31, wpb=17740, bsz=640, num_updates=10, "
    "lr=1.5e-06, gnorm=3.21, loss_scale=128, train_wall=5, wall=12\n"
    "2023-01-01 00:00:00 | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: "
    "64.0\n"
    "2023-01-01 00:00:10 | INFO | train | epoch 001 | loss 8.5 | nll_loss 8.1 | ppl 274.4 | num_updates 500 | lr 7.5e-05 | gnorm "
    "2.1\n"
    "2023-01-01 00:00:20 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 8.25 | nll_loss 7.9 | num_updates 500\n";

TEST(Fairseq, ReadsBothFormsAndOverflows) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "fairseq");
  ASSERT_EQ(table.row_count(), 4U);
  EXPECT_EQ(table.row(0).step, 10);
  EXPECT_EQ(table.row(0).epoch, 1);
  EXPECT_EQ(Cell(table, 0, "loss"), 9.113);
  EXPECT_EQ(Cell(table, 0, "gnorm"), 3.21);
  EXPECT_EQ(Cell(table, 1, "loss_scale"), 64);
  EXPECT_EQ(Cell(table, 1, "skipped"), 1);
  EXPECT_EQ(table.row(2).step, 500);
  EXPECT_EQ(Cell(table, 2, "loss"), 8.5);
  EXPECT_EQ(Cell(table, 3, "valid/loss"), 8.25);
}

TEST(Fairseq, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
