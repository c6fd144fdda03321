// SPDX-License-Identifier: Apache-2.0
#include "reasoning/run_end.h"

#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::ReadLogText;
using testing::Steps;
using testing::Trace;

Standing OfFirst(const FactStore& facts, std::string_view signature) {
  const FactView view(facts);
  const RunEnd end(view);
  const auto hits = view.Hits(signature);
  EXPECT_FALSE(hits.empty()) << signature;
  return hits.empty() ? Standing::kCaught : end.Of(*hits.front());
}

const std::string kMissing = "ModuleNotFoundError: No module named 'evaluate'";

TEST(RunEnd, TakesAnUncaughtImportForTheEnd) {
  EXPECT_EQ(OfFirst(ReadLogText("start\n" + Trace(kMissing)), "import-missing"), Standing::kEnd);
}

TEST(RunEnd, TakesAHandledImportForCaught) {
  // Steps follow.
  EXPECT_EQ(OfFirst(ReadLogText(Trace(kMissing) + Steps(5)), "import-missing"), Standing::kSurvived);
  // Another exception of the same process ends it.
  EXPECT_EQ(
      OfFirst(ReadLogText(Trace(kMissing) + "evaluate is not there, going on\nloading\nmodel built\n" + Trace("KeyError: 'lr'")),
              "import-missing"),
      Standing::kCaught);
  // What a logger writes below it, where the log is cut before more could follow.
  EXPECT_EQ(OfFirst(ReadLogText(Trace(kMissing) + "2026-03-01 07:00:03 | INFO | trainer | param"), "import-missing"),
            Standing::kCaught);
  EXPECT_EQ(OfFirst(ReadLogText(Trace(kMissing) + Steps(1) + "2026-03-01 07:00"), "import-missing"), Standing::kCaught);
  EXPECT_EQ(OfFirst(ReadLogText(Trace(kMissing) + "not built, the plain version is used\n[13:0"), "import-missing"),
            Standing::kCaught);
  EXPECT_EQ(
      OfFirst(ReadLogText(Trace(kMissing) + "srun: error: n1: task 0: Exited with exit code 1\nsrun: Term"), "import-missing"),
      Standing::kEnd);
  EXPECT_EQ(OfFirst(ReadLogText(Trace(kMissing) + "2026-03-01 07:00:03 | INFO | launcher | worker exited\n"), "import-missing"),
            Standing::kEnd);
  EXPECT_EQ(OfFirst(ReadLogText(Trace(kMissing) + "srun: error: n1: task 0: Exi"), "import-missing"), Standing::kEnd);
  // Printed by itself, and the program went on for long.
  std::string log = kMissing + "\n";
  for (int i = 0; i < 100; ++i) log += "preparing shard " + std::to_string(i) + "\n";
  EXPECT_EQ(OfFirst(ReadLogText(log), "import-missing"), Standing::kCaught);
}

TEST(RunEnd, TakesWhatAProgramAlwaysHandlesForCaught) {
  const std::string broken = Trace("OSError: broken data stream when reading image file", "/p/data.py") + "left out\n";
  const FactStore repeated = ReadLogText(Steps(4) + broken + Steps(4, 4, 40) + broken);
  EXPECT_TRUE(RunEnd(FactView(repeated)).uncaught().empty());
  const FactStore finished = ReadLogText(Steps(4) + broken + Steps(1, 4, 40) + "Training finished.\n");
  EXPECT_TRUE(RunEnd(FactView(finished)).uncaught().empty());
  // A script's own word right below an exception is no end of the training.
  const FactStore echoed = ReadLogText(Steps(4) + Trace("OSError: broken") + "Training finished.\n");
  EXPECT_EQ(RunEnd(FactView(echoed)).uncaught().size(), 1U);
}

TEST(RunEnd, TakesTheEndOfAFormerAttemptForHistory) {
  const std::string preempted = "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-03-01T07:00:50 DUE TO PREEMPTION ***\n";
  EXPECT_EQ(OfFirst(ReadLogText(Steps(5) + preempted + Steps(5, 3, 200)), "slurm-preempted"), Standing::kFormerAttempt);
  EXPECT_EQ(OfFirst(ReadLogText(Steps(5) + preempted + "Resuming training from checkpoint: runs/last.pth\n"), "slurm-preempted"),
            Standing::kFormerAttempt);
  EXPECT_EQ(OfFirst(ReadLogText(Steps(5) + preempted), "slurm-preempted"), Standing::kEnd);
  // The log is cut while the next attempt starts.
  const std::string reads = "Restoring states from the checkpoint path at runs/v4/last.ckpt\nLOCAL_RANK: 0 - C";
  EXPECT_EQ(OfFirst(ReadLogText(Steps(5) + preempted + reads), "slurm-preempted"), Standing::kFormerAttempt);
  // Lines that come long after are the next attempt's, whatever they say. A process that is given time to stop writes some too.
  EXPECT_EQ(OfFirst(ReadLogText(Steps(5) + preempted + "2026-03-01 07:40:12 signal handler installed\n"), "slurm-preempted"),
            Standing::kFormerAttempt);
  EXPECT_EQ(OfFirst(ReadLogText(Steps(5) + preempted + "2026-03-01 07:05:12 saving before the end\n"), "slurm-preempted"),
            Standing::kEnd);
  // A scheduler whose clock is in another zone tells nothing of how long after.
  const std::string elsewhere = "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-03-01T02:00:50 DUE TO PREEMPTION ***\n";
  EXPECT_EQ(OfFirst(ReadLogText(Steps(5) + elsewhere + "2026-03-01 07:00:52 saving\n"), "slurm-preempted"), Standing::kEnd);
}

TEST(RunEnd, TakesNoiseAfterTheResultsForNoEnd) {
  EXPECT_EQ(OfFirst(ReadLogText(Steps(5) + "Training complete!\nAborted (core dumped)\n"), "abort"), Standing::kAfterResults);
  const FactStore facts = ReadLogText(Steps(5) + "Exception ignored in: <function _Pool.__del__ at 0x7f1b>\n" +
                                      Trace("AssertionError: can only test"));
  EXPECT_TRUE(RunEnd(FactView(facts)).uncaught().empty());
}

TEST(RunEnd, PutsFollowersLast) {
  const FactStore facts =
      ReadLogText(Steps(5) +
                  "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"/p/train.py\", line 3, in f\n"
                  "[rank0]: torch.distributed.DistBackendError: NCCL communicator was aborted on rank 0.\n"
                  "[rank3]: Traceback (most recent call last):\n[rank3]:   File \"/p/train.py\", line 9, in g\n"
                  "[rank3]: KeyError: 'boxes'\n");
  const FactView view(facts);
  const RunEnd end(view);
  ASSERT_EQ(end.uncaught().size(), 2U);
  EXPECT_EQ(end.first()->exception, "KeyError");
}

TEST(RunEnd, FollowsTheLaunchersRootCause) {
  std::string log = Steps(5);
  for (const int rank : {1, 2}) {
    const std::string mark = "[rank" + std::to_string(rank) + "]: ";
    log += mark + "Traceback (most recent call last):\n" + mark + "  File \"/p/train.py\", line 3, in f\n" + mark +
           "RuntimeError: bad rank " + std::to_string(rank) + "\n";
  }
  log +=
      "Root Cause (first observed failure):\n[0]:\n  time      : 2026-02-17_10:17:21\n  host      : n1\n  rank      : 2 "
      "(local_rank: 2)\n"
      "  exitcode  : 1 (pid: 51169)\n";
  const FactStore facts = ReadLogText(log);
  const FactView view(facts);
  const RunEnd end(view);
  ASSERT_TRUE(end.root_rank());
  EXPECT_EQ(*end.root_rank(), 2);
  ASSERT_NE(end.first(), nullptr);
  EXPECT_EQ(end.first()->message, "bad rank 2");
}

TEST(RunEnd, KeepsTheChainOfAnException) {
  const FactStore facts =
      ReadLogText(Trace("HTTPError: 401 Client Error for url: https://h.co/x") +
                  "\nThe above exception was the direct cause of the following exception:\n\n" + Trace("OSError: gated repo"));
  const FactView view(facts);
  const RunEnd end(view);
  ASSERT_NE(end.first(), nullptr);
  EXPECT_EQ(end.first()->exception, "OSError");
  EXPECT_EQ(end.Chain(*end.first()).size(), 2U);
  EXPECT_EQ(end.uncaught().size(), 1U);
}

TEST(RunEnd, DoesNotTakeAWarningForTheEnd) {
  EXPECT_EQ(
      OfFirst(
          ReadLogText(
              "2026-06-03 WARNING urllib3: requests.exceptions.ConnectionError: Max retries exceeded with url: /x\nloading\n"
              "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='h.co', port=443): Read timed out. retrying in 2 s\n"),
          "remote-connection"),
      Standing::kCaught);
}

TEST(RunEnd, OutputThatWasFlushedAtExitIsNoFurtherRun) {
  std::string flushed;
  for (int epoch = 1; epoch <= 9; ++epoch) flushed += "Run: 01, Epoch: 0" + std::to_string(epoch) + ", Loss: 2.5000\n";
  const std::string trace =
      "Traceback (most recent call last):\n  File \"run.py\", line 143, in <module>\n    main()\n"
      "  File \"run.py\", line 77, in test\n    y = out.view(n, 2)\nRuntimeError: shape '[7, 2]' is invalid for input of size "
      "7\n";
  const FactStore facts = ReadLogText(trace + flushed);
  EXPECT_NE(RunEnd(FactView(facts)).first(), nullptr);
  // Lines with a time were written one by one, an announced end is an end, and an import that fails may be optional.
  std::string timed;
  for (int i = 1; i <= 9; ++i) timed += "2026-03-01 07:00:0" + std::to_string(i) + " step " + std::to_string(i) + " loss 2.5\n";
  const FactStore went_on = ReadLogText(trace + timed);
  EXPECT_EQ(RunEnd(FactView(went_on)).first(), nullptr);
  const FactStore finished = ReadLogText(trace + flushed + "Training complete!\n");
  EXPECT_EQ(RunEnd(FactView(finished)).first(), nullptr);
}

TEST(RunEnd, ATextThatTheLastExceptionDoesNotTellAgainWasHandled) {
  const std::string steps = "step 1 loss 2.0\nstep 2 loss 1.9\n";
  const std::string trace =
      "Traceback (most recent call last):\n  File \"t.py\", line 4, in <module>\n    f()\nTypeError: unsupported operand\n";
  const FactStore facts =
      ReadLogText(steps + "[data] OSError: image file is truncated (18 bytes not processed) -> next\n" + trace);
  const FactView view(facts);
  const RunEnd end(view);
  const auto hits = view.HitsFor("bad-file");
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(end.Of(*hits.front()), Standing::kCaught);
}

}  // namespace
}  // namespace assay
