// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;

constexpr std::string_view kRule = "resume-continuity";
constexpr std::string_view kResumed = "Resuming training from checkpoint out/checkpoint-500\n";

std::string Steps(int from, int to, double (*rate)(int), double offset = 0) {
  std::string log;
  for (int i = from; i <= to; i += 10)
    log += fmt::format("step {}/2000 loss {:.4f} lr {:.6e}\n", i, 3.0 / (1 + 0.001 * i) + offset, rate(i));
  return log;
}
double Linear(int i) { return 1e-3 * (1 - i / 2000.0); }
double WarmUpAgain(int i) { return 1e-3 * (i - 500) / 500; }

TEST(ResumeContinuity, TheRateStartsItsWarmUpAgain) {
  const Findings f = ConcludeFromText(kRule, Steps(10, 500, Linear) + std::string(kResumed) + Steps(510, 700, WarmUpAgain));
  EXPECT_TRUE(f.Has("resume-jump"));
  EXPECT_FALSE(f.Has("fresh-run"));
  // The part before the resume is another file that nobody kept.
  EXPECT_TRUE(ConcludeFromText(kRule, std::string(kResumed) + Steps(510, 700, WarmUpAgain)).Has("resume-jump"));
}

TEST(ResumeContinuity, TheLossJumps) {
  EXPECT_TRUE(
      ConcludeFromText(kRule, Steps(10, 500, Linear) + std::string(kResumed) + Steps(510, 700, Linear, 4)).Has("resume-jump"));
}

TEST(ResumeContinuity, ASmoothResumeIsNone) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Steps(10, 500, Linear) + std::string(kResumed) + Steps(510, 700, Linear)), kRule), "");
  // Steps since the last checkpoint are done again.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Steps(10, 560, Linear) + std::string(kResumed) + Steps(510, 700, Linear)), kRule), "");
  // A resume in the first steps of the plan is still in its first warm-up.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, "Resuming training from checkpoint out/checkpoint-50\n" +
                                            Steps(60, 200, [](int i) { return 1e-6 * i; })),
                kRule),
            "");
}

TEST(ResumeContinuity, OneRowOutOfItsPlaceIsNoResume) {
  std::string log = std::string(kResumed) + Steps(510, 1200, Linear);
  log.replace(log.find("step 1100/"), 10, "step 700/");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, log), kRule), "");
}

TEST(ResumeContinuity, AnotherStepThanTheCheckpoints) {
  EXPECT_TRUE(ConcludeFromText(kRule, std::string(kResumed) + Steps(1510, 1700, Linear)).Has("ckpt-step-mismatch"));
  EXPECT_FALSE(ConcludeFromText(kRule, std::string(kResumed) + Steps(10, 200, Linear)).Has("ckpt-step-mismatch"));
}

TEST(ResumeContinuity, FreshRuns) {
  EXPECT_TRUE(ConcludeFromText(kRule, "step 1 loss 2.0\nstep 2 loss 1.9\n").Has("fresh-run"));
  EXPECT_FALSE(ConcludeFromText(kRule, "step 500 loss 2.0\nstep 510 loss 1.9\n").Has("fresh-run"));
}

}  // namespace
}  // namespace assay
