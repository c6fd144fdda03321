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

constexpr std::string_view kLog =
    "{\"step\": 100, \"train/loss\": 2.31, \"lr\": 0.0003}\n"
    "2026-01-01 10:00:00 INFO {'epoch': 2, 'train': {'loss': tensor(0.5, device='cuda:0'), 'acc': np.float64(0.75)}, 'note': 'a, "
    "b'}\n"
    "{\"epoch\": 1, \"loss\": \"9.1\", \"num_updates\": \"10\", \"gnorm\": \"3.2\"}\n";

TEST(PythonDict, ReadsJsonReprAndNestedDicts) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "python-dict");
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.row(0).step, 100);
  EXPECT_EQ(Cell(table, 0, "train/loss"), 2.31);
  EXPECT_EQ(table.row(1).epoch, 2);
  EXPECT_EQ(Cell(table, 1, "train/loss"), 0.5);
  EXPECT_EQ(Cell(table, 1, "train/acc"), 0.75);
  EXPECT_EQ(table.row(2).step, 10);
  EXPECT_EQ(Cell(table, 2, "loss"), 9.1);
}

TEST(PythonDict, LeavesSettingsAlone) {
  ExpectNoTables("{'lr': 1e-05, 'betas': (0.9, 0.95), 'weight_decay': 0.0}\n");
  ExpectNoTables("optimizer: {'name': 'adam', 'step': 1}\n");
  ExpectNoTables("{\"epoch\": \"two\", \"loss\": \"mse\"}\n");
}

TEST(PythonDict, BearsDepthLengthAndDamage) {
  std::string deep = "{'loss': ";
  for (int i = 0; i < 100000; ++i) deep += "{'a': ";
  ReadLogText(deep + "\n");
  ExpectBearsDamage(kLog);
}

}  // namespace
}  // namespace assay
