// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;

std::string Timm(auto data, auto time) {
  std::string log;
  for (int i = 0; i < 40; ++i) {
    log += fmt::format(
        "Train: 0 [{:4}/1203 (  0%)]  Loss: 5.{} (5.90)  Time: {:.3f}s,   26.06/s  ({:.3f}s,   26.06/s)  LR: 1.000e-05  Data: "
        "{:.3f} ({:.3f})\n",
        i * 25, i % 10, time(i), time(i), data(i), data(i));
  }
  return log;
}

TEST(DataWait, FindsAHighShare) {
  const Findings findings = ConcludeFromText("data-wait", Timm([](int) { return 1.2; }, [](int) { return 1.4; }));
  EXPECT_EQ(Ids(findings, "data-wait"), "wait-share-high");
  EXPECT_EQ(findings.Find("wait-share-high")->statement,
            "The trainer waits for data in 86 % of the step (1.2 s), median of 36 logged values.");
}

TEST(DataWait, FindsALowShare) {
  EXPECT_EQ(Ids(ConcludeFromText("data-wait", Timm([](int) { return 0.01; }, [](int) { return 1.4; })), "data-wait"),
            "wait-share-low");
}

TEST(DataWait, LeavesAColdStartAlone) {
  EXPECT_FALSE(
      ConcludeFromText("data-wait", Timm([](int i) { return i < 20 ? 1.2 : 0.05; }, [](int i) { return i < 20 ? 1.4 : 0.6; }))
          .Has("wait-share-high"));
}

TEST(DataWait, LeavesATinyModelAlone) {
  EXPECT_EQ(Ids(ConcludeFromText("data-wait", Timm([](int) { return 0.002; }, [](int) { return 0.005; })), "data-wait"), "");
}

TEST(DataWait, LeavesTheLoaderOfAnEvaluationAlone) {
  std::string log;
  for (int i = 1; i <= 20; ++i) {
    log += fmt::format(
        "2026/06/17 09:31:{:02} - mmengine - INFO - Iter(test) [{:3}/500]    eta: 0:00:37  time: 0.0812  data_time: 0.0631  "
        "memory: 2214  \n",
        i, i * 25);
  }
  EXPECT_EQ(Ids(ConcludeFromText("data-wait", log), "data-wait"), "");
}

TEST(DataWait, ReadsATableOfTimes) {
  std::string log;
  for (int i = 1; i <= 6; ++i) {
    log += fmt::format(
        "step {} loss 9.2\n  Blocking, waiting for batch (threaded) (10/10):  mean:  {}ms   std:  219ms\n"
        "  Forward pass (10/10):                            mean:   100ms\n  Backward pass (10/10):                           "
        "mean:  200ms\n",
        i * 10, 700);
  }
  EXPECT_EQ(Ids(ConcludeFromText("data-wait", log), "data-wait"), "wait-share-high");
}

TEST(DataWait, FindsTheStallOfEachKthStep) {
  std::string log;
  for (int i = 1; i <= 60; ++i)
    log += fmt::format("step {} loss 1.{} step_time 0.20 data_time {:.3f}\n", i, i % 10, i % 8 == 0 ? 0.09 : 0.001);
  EXPECT_TRUE(ConcludeFromText("data-wait", log).Has("stall-every-k"));
}

TEST(DataWait, SaysWhenItCannotLook) {
  EXPECT_TRUE(IsNotChecked(ConcludeFromText("data-wait", "step 1 loss 2.0 step_time 0.4\n"), "wait-share-high"));
}

TEST(DataWait, ReadsTheProfilersTable) {
  const auto table = [](double fetch, double batch) {
    return fmt::format(
        "|  run_training_epoch                                  |  962.41  |  5  |  4812.1  |  98.786  |\n"
        "|  [_TrainingEpochLoop].train_dataloader_next          |  {}  |  6250  |  3707.0  |  76.1  |\n"
        "|  run_training_batch                                  |  {}  |  6250  |  975.7  |  20.03  |\n",
        fetch, batch);
  };
  EXPECT_EQ(Ids(ConcludeFromText("data-wait", table(0.59312, 0.15611)), "data-wait"), "wait-share-high");
  EXPECT_EQ(Ids(ConcludeFromText("data-wait", table(0.0005, 0.15611)), "data-wait"), "wait-share-low");
}

std::string Epochs(double gap) {
  std::string log;
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (int b = 0; b <= 200; b += 20) {
      const double data = b == 0 ? gap : 0.012;
      log += fmt::format(
          "Train: {} [{:>4}/201 ({:>3}%)]  Loss: 2.1{} (2.10)  Time: {:.3f}s,  640.00/s  (0.400s,  640.00/s)  LR: 5.000e-04  "
          "Data: {:.3f} (0.200)\n",
          epoch, b, b / 2, b / 20 % 10, 0.31 + data, data);
    }
  }
  return log;
}

TEST(DataWait, TheStartOfAnEpochAndWhatPartOfItThatIs) {
  const Findings much = ConcludeFromText("data-wait", Epochs(41));
  ASSERT_TRUE(much.Has("epoch-start-gap"));
  EXPECT_FALSE(much.Find("epoch-start-gap")->survived) << much.Find("epoch-start-gap")->statement;
  const Findings little = ConcludeFromText("data-wait", Epochs(2));
  ASSERT_TRUE(little.Has("epoch-start-gap"));
  EXPECT_TRUE(little.Find("epoch-start-gap")->survived) << little.Find("epoch-start-gap")->statement;
}

}  // namespace
}  // namespace assay
