// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/support/findings_of.h"
#include "tests/support/rule_check.h"
#include "tests/support/sibling_facts.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::ConcludeFromText;
using testing::Ids;
using testing::Log;
using testing::State;

constexpr std::string_view kRule = "attempts";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Attempts, OneLogTwoAttempts) {
  const std::string first = "step 10 loss 2.0\nstep 20 loss 1.9\nstep 30 loss 1.8\nstep 40 loss nan\nstep 50 loss nan\n";
  EXPECT_EQ(Ids(ConcludeFromText(kRule, first + "step 20 loss 1.9\nstep 30 loss 1.8\nstep 40 loss nan\n"), kRule),
            "bad-step-fixed");
  EXPECT_EQ(Ids(ConcludeFromText(
                    kRule, first + "step 20 loss 1.9\nstep 30 loss 1.8\nstep 40 loss 1.7\nstep 50 loss 1.6\nstep 60 loss nan\n"),
                kRule),
            "bad-step-moves");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, first), kRule), "");
}

FactStore Two(std::string_view our_type, std::string_view their_type, double (*theirs)(int)) {
  FactStore ours;
  FactStore& other = ours.AddSibling("b");
  for (const auto& [key, value] : {std::pair{"lr", "0.01"}, std::pair{"epochs", "20"}, std::pair{"seed", "42"}}) {
    State(ours, "a/config.yaml", key, value);
    State(other, "b/config.yaml", key, value);
  }
  State(ours, "a/config.yaml", "precision", our_type);
  State(other, "b/config.yaml", "precision", their_type);
  Log(ours, "a/train.log", 60, [](int i) { return i < 40 ? 1.0 : kNan; });
  Log(other, "b/train.log", 60, theirs);
  return ours;
}

TEST(Attempts, SiblingsOfTheSameSettings) {
  EXPECT_EQ(Ids(Conclude(kRule, Two("bf16", "bf16", [](int i) { return i < 40 ? 1.0 : kNan; })), kRule), "bad-step-fixed");
  EXPECT_EQ(Ids(Conclude(kRule, Two("bf16", "bf16", [](int i) { return i < 25 ? 1.0 : kNan; })), kRule), "bad-step-moves");
  EXPECT_EQ(Ids(Conclude(kRule, Two("bf16", "fp32", [](int i) { return i < 25 ? 1.0 : kNan; })), kRule), "");
}

TEST(Attempts, TheSameExceptionAtTheSameStepOfEveryAttempt) {
  const std::string restart =
      "I0801 10:00:00.900000 4999 torch/distributed/elastic/agent/server/api.py:845] [default] Worker group FAILED. 3/3 attempts "
      "left; "
      "will restart worker group\n";
  const std::string fails = testing::Trace("IndexError: list index out of range");
  EXPECT_TRUE(
      testing::FindingsOfLog(testing::Steps(5) + fails + restart + testing::Steps(5, 0, 100) + fails).Has("bad-step-fixed"));
  EXPECT_FALSE(
      testing::FindingsOfLog(testing::Steps(5) + fails + restart + testing::Steps(9, 0, 100) + fails).Has("bad-step-fixed"));
}

}  // namespace
}  // namespace assay
