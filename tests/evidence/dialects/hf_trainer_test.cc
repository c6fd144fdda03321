// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::ColumnValues;
using testing::ReadLogText;

TEST(HfTrainer, ReadsNumbersAndStringsAlike) {
  const FactStore facts = ReadLogText(
      "{'loss': 1.5, 'grad_norm': nan, 'learning_rate': 5e-05, 'epoch': 0.1}\n"
      "{'loss': '0.25', 'grad_norm': '0.5', 'learning_rate': '4e-05', 'epoch': '0.2'}\n");
  const FactView view(facts);
  EXPECT_EQ(ColumnValues(view, "loss"), (std::vector<double>{1.5, 0.25}));
  EXPECT_EQ(ColumnValues(view, "learning_rate"), (std::vector<double>{5e-05, 4e-05}));
  EXPECT_TRUE(std::isnan(ColumnValues(view, "grad_norm")[0]));
  EXPECT_EQ(view.tables().front().row(1).epoch, 0.2);
  EXPECT_EQ(view.tables().front().writer, "hf-trainer");
}

TEST(HfTrainer, FindsADictGluedToAProgressBar) {
  const FactStore facts = ReadLogText(" 10%|█         | 1/10 [00:01<00:09,  1.0s/it]{'loss': 2.0, 'epoch': 1.0}\n");
  EXPECT_EQ(ColumnValues(FactView(facts), "loss"), (std::vector<double>{2.0}));
}

TEST(HfTrainer, ANumberThatTouchesTheCutIsNoFact) {
  EXPECT_TRUE(ColumnValues(FactView(ReadLogText("{'loss': 1.5, 'grad_norm': 0.2")), "grad_norm").empty());
  EXPECT_EQ(ColumnValues(FactView(ReadLogText("{'loss': 1.5, 'grad_norm': 0.2}")), "grad_norm"), (std::vector<double>{0.2}));
}

TEST(HfTrainer, LeavesDictsWithoutNumbersAlone) {
  EXPECT_TRUE(FactView(ReadLogText("{'epoch': 'two', 'name': 'x'}\n")).tables().empty());
}

TEST(HfTrainer, ReadsRealRuns) {
  const FactStore facts = ReadLogText(testing::Fixture("hf_trainer/finished/train.log"));
  EXPECT_FALSE(ColumnValues(FactView(facts), "loss").empty());
  EXPECT_FALSE(ColumnValues(FactView(facts), "train_runtime").empty());
}

TEST(HfTrainer, BearsDamage) {
  testing::ExpectBearsDamage(
      "{'loss': 1.5, 'grad_norm': nan, 'epoch': 0.1}\n 10%|#  | 1/10 [00:01<00:09,  1.0s/it]{'eval_loss': '2.0', 'note': 'a, b', "
      "'epoch': '1.0'}\n");
}

}  // namespace
}  // namespace assay
