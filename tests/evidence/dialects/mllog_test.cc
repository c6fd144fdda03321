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
    ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"POINT_IN_TIME\", \"key\": "
    "\"global_batch_size\", \"value\": 256, \"metadata\": {\"file\": \"t.py\", \"lineno\": 1}}\n"
    ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000500, \"event_type\": \"POINT_IN_TIME\", \"key\": "
    "\"opt_base_learning_rate\", \"value\": 0.1, \"metadata\": {}}\n"
    ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000001000, \"event_type\": \"POINT_IN_TIME\", \"key\": \"eval_accuracy\", "
    "\"value\": 0.7512, \"metadata\": {\"epoch_num\": 4}}\n"
    "0: :::MLLOG {\"key\": \"tracked_stats\", \"value\": {\"throughput\": 1200.5, \"train_loss\": 1.5}, \"metadata\": {\"step\": "
    "40}}\n";

TEST(Mllog, ReadsWhatWasMeasuredAndNoSettings) {
  const FactStore facts = ReadLogText(kLog);
  const MetricTable& table = OnlyTable(facts, "mllog");
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.row(0).epoch, 4);
  EXPECT_EQ(Cell(table, 0, "eval_accuracy"), 0.7512);
  EXPECT_EQ(table.row(1).step, 40);
  EXPECT_EQ(Cell(table, 1, "train_loss"), 1.5);
}

TEST(Mllog, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
