// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/evidence/dialects/dialect_check.h"

namespace assay {
namespace {

using testing::ExpectBearsDamage;
using testing::ExpectNoTables;
using testing::ReadLogText;

constexpr std::string_view kLog =
    "[2023-08-30 11:04:17,396] [INFO] [loss_scaler.py:181:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted "
    "loss scale: 65536, reducing to 32768\n"
    "[2023-08-30 11:04:18,396] [INFO] [loss_scaler.py:188:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted "
    "loss scale: 32768, but hysteresis is 2. Reducing hysteresis to 1\n"
    "[2023-08-30 11:04:20,100] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=2, lr=[1e-05, 2e-05], mom=[(0.9, "
    "0.95)]\n"
    "[2023-08-30 11:04:20,101] [INFO] [timer.py:260:stop] epoch=0/micro_step=20/global_step=10, RunningAvgSamplesPerSec=12.5, "
    "CurrSamplesPerSec=13.0, MemAllocated=1.5GB, MaxMemAllocated=2.0GB\n"
    "[2023-08-30 11:04:20,102] [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd: 12.5 | bwd: 30.0 | step: 4.25\n";

double Value(const FactStore& facts, std::string_view column, std::size_t occurrence) {
  const auto values = testing::ColumnValues(FactView(facts), column);
  EXPECT_LT(occurrence, values.size()) << column;
  return occurrence < values.size() ? values[occurrence] : -1;
}

TEST(Deepspeed, AnOverflowIsARowWithTheScaleThatFollows) {
  const FactStore facts = ReadLogText(kLog);
  EXPECT_EQ(Value(facts, "loss_scale", 0), 32768);
  EXPECT_EQ(Value(facts, "loss_scale", 1), 32768);
  EXPECT_EQ(Value(facts, "skipped", 0), 1);
  EXPECT_EQ(testing::ColumnValues(FactView(facts), "skipped").size(), 2U);
}

TEST(Deepspeed, ReadsStepsThroughputAndTimers) {
  const FactStore facts = ReadLogText(kLog);
  EXPECT_EQ(Value(facts, "lr", 0), 1e-05);
  EXPECT_EQ(Value(facts, "skipped_so_far", 0), 2);
  EXPECT_EQ(Value(facts, "CurrSamplesPerSec", 0), 13.0);
  EXPECT_EQ(Value(facts, "MemAllocated", 0), 1.5 * 1024 * 1024 * 1024);
  EXPECT_EQ(Value(facts, "fwd_ms", 0), 12.5);
  EXPECT_EQ(Value(facts, "step_ms", 0), 4.25);
}

TEST(Deepspeed, LeavesOtherSentencesAlone) {
  ExpectNoTables("Skipping step. Attempted loss scale: large\n");
  ExpectNoTables("run with warmup_step=10, skipped=yes\n");
}

TEST(Deepspeed, BearsDamage) { ExpectBearsDamage(kLog); }

}  // namespace
}  // namespace assay
