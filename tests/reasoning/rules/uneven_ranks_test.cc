// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;

const std::string kTimeout =
    "[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=808, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600025 milliseconds before timing out.\n";

TEST(UnevenRanks, SeesADataSetWithoutLength) {
  EXPECT_TRUE(FindingsOfLog("streaming 128 shards, 64 per rank, length unknown\n" + Steps(5) + kTimeout).Has("dataset-unsized"));
}

TEST(UnevenRanks, SeesTheOneRankThatMadeFewerSteps) {
  std::string log;
  for (int step = 10; step <= 40; step += 10) {
    for (int rank = 0; rank < 3; ++rank) {
      if (step < 40 || rank != 1) log += "[rank" + std::to_string(rank) + "]: step " + std::to_string(step) + " loss 1.5\n";
    }
  }
  EXPECT_TRUE(FindingsOfLog(log + kTimeout).Has("rank-behind"));
  EXPECT_FALSE(FindingsOfLog(log).Has("rank-behind"));
}

TEST(UnevenRanks, NamesTheOneThatLags) {
  EXPECT_TRUE(
      FindingsOfLog(Steps(5) +
                    "\t - To our best knowledge, ranks [11] are the lagging ranks that caused this timeout. They never joined\n")
          .Has("rank-behind"));
  EXPECT_FALSE(
      FindingsOfLog(
          Steps(5) +
          "\t - To our best knowledge, ranks [3, 11] are the lagging ranks that caused this timeout. They never joined\n")
          .Has("rank-behind"));
}

TEST(UnevenRanks, StaysSilentWithoutATimeout) {
  EXPECT_FALSE(FindingsOfLog("streaming 128 shards, 64 per rank, length unknown\n" + Steps(5)).Has("dataset-unsized"));
  EXPECT_FALSE(FindingsOfLog(Steps(5) + kTimeout).Has("dataset-unsized"));
}

}  // namespace
}  // namespace assay
