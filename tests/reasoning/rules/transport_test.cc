// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::IsNotChecked;
using testing::Steps;

const std::string kNoRoute = "node-1:795:822 [0] NCCL WARN Net : Connect to 10.0.0.9<43210> failed : No route to host\n";

TEST(Transport, KnowsAPeerThatTheRunNames) {
  const Findings found = FindingsOfLog("rank 8 of 16 on node-0 (10.0.0.9)\n" + kNoRoute);
  EXPECT_TRUE(found.Has("net-error"));
  EXPECT_TRUE(found.Has("peer-of-this-run"));
}

TEST(Transport, APeerThatFallsSilentMidwayMayHaveGoneDown) {
  const std::string error =
      "0: gpu-1:412:413 [0] transport/net_ib.cc:2210 NCCL WARN NET/IB: Got completion from peer 10.8.2.12<47112> with status=12 "
      "opcode=129 len=0 vendor err 129 (Recv)\n";
  const std::string named = "8: rank 8 of 16 on gpu-2 (10.8.2.12)\n";
  const Findings silent = FindingsOfLog(named + Steps(5) + error);
  EXPECT_TRUE(silent.Has("net-error"));
  EXPECT_FALSE(silent.Has("peer-of-this-run"));
  EXPECT_TRUE(IsNotChecked(silent, "peer-of-this-run"));
  EXPECT_TRUE(FindingsOfLog(named + error).Has("peer-of-this-run"));  // right after it came up
  EXPECT_TRUE(FindingsOfLog(named + Steps(5) + error +
                            "[rank8]: Traceback (most recent call last):\n[rank8]:   File \"/p/train.py\", line 3, in f\n"
                            "[rank8]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1333\n")
                  .Has("peer-of-this-run"));
}

TEST(Transport, DoesNotKnowAStranger) {
  const Findings found = FindingsOfLog(kNoRoute);
  EXPECT_FALSE(found.Has("peer-of-this-run"));
  EXPECT_TRUE(IsNotChecked(found, "peer-of-this-run"));
}

TEST(Transport, StaysSilentWhereThePeerHadFailed) {
  EXPECT_FALSE(FindingsOfLog("rank 8 of 16 on node-0 (10.0.0.9)\nsrun: error: Node failure on node-0\n" + kNoRoute)
                   .Has("peer-of-this-run"));
}

TEST(Transport, SeesThatTheFirstCollectiveNeverEnded) {
  const std::string timeout =
      "[rank1]:[E ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, "
      "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600025 milliseconds before timing out.\n";
  EXPECT_TRUE(FindingsOfLog(timeout).Has("hang-first-collective"));
  EXPECT_FALSE(FindingsOfLog(Steps(5) + timeout).Has("hang-first-collective"));
}

TEST(Transport, SeesARankThatStillPreparesWhileItsPeersWait) {
  const std::string bar =
      "Tokenizing (num_proc=4):   0%|          | 0/900 [00:00<?, ? examples/s]\r"
      "Tokenizing (num_proc=4):  55%|#####     | 495/900 [30:00<24:11, 27.5 examples/s]\n";
  const std::string done = "Tokenizing (num_proc=4): 100%|##########| 900/900 [30:00<00:00, 27.5 examples/s]\n";
  const std::string timeout =
      "[rank2]:[E ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, "
      "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800010 milliseconds before timing out.\n";
  EXPECT_TRUE(testing::FindingsOfLog(bar + timeout).Has("prepares-while-peers-wait"));
  EXPECT_FALSE(testing::FindingsOfLog(bar + done + timeout).Has("prepares-while-peers-wait"));
  EXPECT_FALSE(testing::FindingsOfLog(timeout).Has("prepares-while-peers-wait"));
}

}  // namespace
}  // namespace assay
