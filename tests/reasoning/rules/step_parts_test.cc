// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;

std::string Table(int forward, int loss, int backward) {
  std::string log;
  for (int i = 1; i <= 4; ++i) {
    log += fmt::format(
        "step {}  loss 9.261\nAverage execution time over 10 steps:\n  Forward pass (10/10):                            mean:   "
        "{}ms\n"
        "  Loss (10/10):                                    mean:  {}ms\n  Backward pass (10/10):                           "
        "mean: {}ms\n",
        i * 10, forward, loss, backward);
  }
  return log;
}

TEST(StepParts, FindsALossThatTakesTheStep) {
  const Findings findings = ConcludeFromText("step-parts", Table(11, 404, 2300));
  EXPECT_EQ(Ids(findings, "step-parts"), "loss-dominates-step");
  EXPECT_EQ(findings.Find("loss-dominates-step")->statement,
            "The loss takes 404 ms and the backward pass 2300 ms of a step whose forward pass takes 11 ms.");
}

TEST(StepParts, LeavesOrdinaryProportionsAlone) {
  EXPECT_EQ(Ids(ConcludeFromText("step-parts", Table(120, 4, 260)), "step-parts"), "");
}

TEST(StepParts, LeavesClocksThatDoNotWaitAlone) {
  EXPECT_EQ(Ids(ConcludeFromText("step-parts", Table(11, 5, 2300)), "step-parts"), "");   // the wait is in the backward pass
  EXPECT_EQ(Ids(ConcludeFromText("step-parts", Table(11, 900, 600)), "step-parts"), "");  // the wait is in the loss
}

TEST(StepParts, FindsAPrimitiveThatBecomesSlower) {
  const auto log = [](double last) {
    std::string text;
    for (int i = 1; i <= 20; ++i)
      text += fmt::format("mkldnn_verbose,exec,rnn,ref,forward_training,alg:vanilla_lstm,l1t50mb64sic256,{:.1f}\n",
                          i > 12 ? last : 27.1);
    return text;
  };
  EXPECT_EQ(Ids(ConcludeFromText("step-parts", log(300)), "step-parts"), "primitive-slower");
  EXPECT_EQ(Ids(ConcludeFromText("step-parts", log(30)), "step-parts"), "");
}

TEST(StepParts, LeavesLargerShapesAlone) {
  std::string text;
  for (int i = 1; i <= 20; ++i)
    text += fmt::format("mkldnn_verbose,exec,rnn,ref,forward_training,alg:vanilla_lstm,l1t{}mb64sic256,{:.1f}\n", 50 + i,
                        20.0 + 10 * i);
  EXPECT_EQ(Ids(ConcludeFromText("step-parts", text), "step-parts"), "");
}

TEST(StepParts, SaysWhenItCannotLook) {
  EXPECT_TRUE(IsNotChecked(ConcludeFromText("step-parts", "step 1 loss 2.0\n"), "loss-dominates-step"));
}

}  // namespace
}  // namespace assay
