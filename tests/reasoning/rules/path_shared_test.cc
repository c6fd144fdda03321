// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Trace;

std::string OnRank(int rank, std::string_view exception) {
  const std::string mark = "[rank" + std::to_string(rank) + "]: ";
  return mark + "Traceback (most recent call last):\n" + mark + "  File \"/home/u/proj/train.py\", line 12, in main\n" + mark +
         "    os.makedirs(path)\n" + mark + std::string(exception) + "\n";
}
const std::string kExists = "FileExistsError: [Errno 17] File exists: 'out/run1'";

TEST(PathShared, SeesThatOnlySomeRanksFailed) {
  EXPECT_TRUE(FindingsOfLog("[rank0]: starting\n[rank0]: epoch 1 loss 2.0\n" + OnRank(1, kExists)).Has("file-race"));
}

TEST(PathShared, StaysSilentWhereAllFailedOrOnlyOneRan) {
  EXPECT_FALSE(FindingsOfLog("[rank1]: starting\n[rank1]: epoch 1 loss 2.0\n" + OnRank(0, kExists)).Has("file-race"));
  EXPECT_FALSE(FindingsOfLog(OnRank(0, kExists) + OnRank(1, kExists)).Has("file-race"));
  EXPECT_FALSE(FindingsOfLog(Trace(kExists)).Has("file-race"));
}

TEST(PathShared, TakesTheLaunchersWordWhereTheLogHasNoRanks) {
  const std::string others =
      "W1103 08:14:09.101000 5510 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 5519 closing signal "
      "SIGTERM\n"
      "W1103 08:14:09.102000 5510 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 5520 closing signal "
      "SIGTERM\n";
  const std::string root =
      "Root Cause (first observed failure):\n[0]:\n  time      : 2024-11-03_08:14:09\n  host      : g1\n"
      "  rank      : 2 (local_rank: 2)\n  exitcode  : 1 (pid: 5521)\n";
  EXPECT_TRUE(FindingsOfLog(Trace(kExists) + others + root).Has("file-race"));
}

}  // namespace
}  // namespace assay
