// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/line_prefix.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

struct Sample {
  std::string_view line;
  std::string_view text;
  std::optional<int> rank;
  bool timed = false;
};

TEST(LinePrefix, PeelsWhatLaunchersAndLoggersPutInFront) {
  constexpr Sample kSamples[] = {
      {"[default3]:step 1", "step 1", 3},
      {"[rank3]: step 1", "step 1", 3},
      {"[rank: 0] Received SIGTERM: 15", "Received SIGTERM: 15", 0},
      {"[2023-08-30 11:04:17,396] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=2", "step=10, skipped=2", 0, true},
      {"11/30/2026 17:28:03 - INFO - __main__ - [RANK 0] loss 0.5", "11/30/2026 17:28:03 - INFO - __main__ - [RANK 0] loss 0.5"},
      {"[1,3]<stdout>:loss 0.5", "loss 0.5", 3},
      {"rank3: loss 0.5", "loss 0.5", 3},
      {"node-1: loss 0.5", "loss 0.5"},
      {"2024-01-01T00:00:00.123456789Z stdout F loss 0.5", "loss 0.5", std::nullopt, true},
      {"Jan 31 12:00:00 node17 python[123]: loss 0.5", "loss 0.5"},
      {"Jan  3 12:00:00 node17 kernel: NVRM: Xid", "NVRM: Xid"},
      {"2026-01-31T12:00:00+0000 node17 python[123]: loss 0.5", "loss 0.5", std::nullopt, true},
      {"I0131 12:00:00.123456  140 file.cc:262] loss = 0.5, step = 1", "loss = 0.5, step = 1"},
      {"[   12.345678] NVRM: Xid", "NVRM: Xid"},
      {"[Sat Jan 31 12:00:00 2026] NVRM: Xid", "NVRM: Xid", std::nullopt, true},
      {"[titan] 2025-04-29 13:20:16,237 - root - INFO - step:  1  loss: 2", "step:  1  loss: 2", std::nullopt, true},
      {"2026-01-01 12:00:00.123 | INFO     | mod.sub:fn:12 - loss 0.5", "loss 0.5", std::nullopt, true},
      {"(pid=123) loss 0.5", "loss 0.5"},
      {"(RayTrainWorker pid=1, ip=10.0.0.1) loss 0.5", "loss 0.5"},
      {"INFO:tensorflow:loss = 0.5", "loss = 0.5"},
      {"WARNING:root:loss 0.5", "loss 0.5"},
      {"[INFO|trainer.py:2409] 2026-01-01 12:00:00,123 >> loss 0.5", "loss 0.5", std::nullopt, true},
      {"12/31 23:59:59 - mmengine - INFO - Epoch(train)  [1]", "Epoch(train)  [1]"},
      {"[12/31 23:59:59 d2.utils.events]:  eta: 0:01:00", "eta: 0:01:00"},
      {"[    INFO] - global step 1", "global step 1"},
  };
  for (const Sample& sample : kSamples) {
    if (sample.line == sample.text) continue;
    const PeeledLine peeled = PeelPrefix(sample.line, {});
    EXPECT_EQ(peeled.text, sample.text) << sample.line;
    EXPECT_EQ(peeled.rank, sample.rank) << sample.line;
    EXPECT_EQ(peeled.time.has_value(), sample.timed) << sample.line;
  }
}

TEST(LinePrefix, NeverEatsAMetric) {
  for (const std::string_view line :
       {"12: loss 0.3", "rank 3 loss 0.5", "loss: 0.5", "Epoch 1: loss 0.5", "[0.123456, 0.5] loss", "[10]\ttrain-rmse:0.5",
        "(loss 0.5)", "gpu0: 0.5 loss", "worker 2: loss 0.5", "GPU 1: loss 0.5", "train - loss 0.5", "step1: loss 0.5",
        "May 5 epochs run", "loss-1: 0.5", "acc: 0.5", "(epid=5 x) loss", "Inf0131 loss", "- 0.5 loss", "[5.5] loss 1"}) {
    EXPECT_EQ(PeelPrefix(line, {}).text, line);
    EXPECT_FALSE(PeelPrefix(line, {}).rank.has_value()) << line;
  }
}

TEST(LinePrefix, TellsFromTheWholeLogWhatOneLineCannot) {
  const PeelOptions srun = DetectPeelOptions("0: a\n 1: b\n12: c\n");
  EXPECT_TRUE(srun.numbered_by_srun);
  EXPECT_EQ(PeelPrefix("12: loss 0.3", srun).text, "loss 0.3");
  EXPECT_EQ(PeelPrefix("12: loss 0.3", srun).rank, 12);
  EXPECT_EQ(PeelPrefix("loss 0.3", srun).text, "loss 0.3");
  const PeelOptions pdsh = DetectPeelOptions("node1: a\nnode2: b\nnode17: c\n");
  EXPECT_TRUE(pdsh.prefixed_by_host);
  EXPECT_EQ(PeelPrefix("node17: loss 0.3", pdsh).text, "loss 0.3");
  EXPECT_FALSE(DetectPeelOptions("1: a\nb\nc\n").numbered_by_srun);
  EXPECT_FALSE(DetectPeelOptions("").docker_json);
  EXPECT_TRUE(DetectPeelOptions("{\"log\":\"x\\n\",\"stream\":\"stdout\"}\n").docker_json);
}

TEST(LinePrefix, KeepsIndentationForTracebacks) {
  EXPECT_EQ(PeelPrefix("[rank0]:   File \"a.py\", line 1, in f", {}).body, "  File \"a.py\", line 1, in f");
}

TEST(LinePrefix, BearsEveryCutOfEveryForm) {
  const std::string line =
      "[2026-01-01 12:00:00,123] [INFO] [a.py:1:f] [Rank 0] (pid=1) Jan 31 12:00:00 h p[1]: [   12.345678] I0131 12:00:00.1 1 f] "
      "x";
  for (std::size_t begin = 0; begin < line.size(); ++begin) {
    for (std::size_t length = 0; begin + length <= line.size(); ++length) {
      const std::string exact = line.substr(begin, length);
      EXPECT_LE(PeelPrefix(exact, {.numbered_by_srun = true}).text.size(), exact.size());
      EXPECT_LE(PeelPrefix(exact, {.prefixed_by_host = true}).text.size(), exact.size());
    }
  }
}

TEST(LinePrefix, OneServiceOfCompose) {
  const PeelOptions options = DetectPeelOptions("trainer-1  | a\ntrainer-1  | b\n");
  EXPECT_EQ(options.service, "trainer-1");
  EXPECT_EQ(PeelPrefix("trainer-1  |   File \"a.py\", line 1, in f", options).body, "  File \"a.py\", line 1, in f");
  EXPECT_EQ(WithoutCollector("trainer-1  | Killed", options), "Killed");
  EXPECT_EQ(WithoutCollector("trainer-1  |", options), "");
  EXPECT_EQ(WithoutCollector("redis-1    | Killed", options), "redis-1    | Killed");  // not this program's
  // Several services, and tables whose first column looks like one.
  EXPECT_EQ(DetectPeelOptions("db-1  | a\ntrainer-1  | b\nredis-1  | c\n").service, "");
  EXPECT_EQ(DetectPeelOptions("epoch_1 | loss 2\nepoch_2 | loss 1\nepoch_3 | loss 1\n").service, "");
  EXPECT_EQ(DetectPeelOptions("rank_0 | loss 2\nrank_0 | loss 1\nrank_0 | loss 1\n").service, "");
  EXPECT_EQ(DetectPeelOptions("step | loss 2\nstep | loss 1\nstep | loss 1\n").service, "");
}

TEST(LinePrefix, WhatCollectsALineIsNotItsOwn) {
  EXPECT_EQ(WithoutCollector("2026-01-31T12:00:00.123456789Z stderr F   Num Epochs = 3", {}), "  Num Epochs = 3");
  EXPECT_EQ(WithoutCollector("2026-01-31T12:00:00.123456789Z   Num Epochs = 3", {}), "  Num Epochs = 3");
  EXPECT_EQ(WithoutCollector("(RayTrainWorker pid=1, ip=10.0.0.1) done", {}), "done");
  for (const std::string_view own :
       {"2026-01-31 12:00:00,123 INFO done", "2026-01-31T12:00:00Z done", "(rank 3) done", "", "2026"})
    EXPECT_EQ(WithoutCollector(own, {}), own);
}

}  // namespace
}  // namespace assay
