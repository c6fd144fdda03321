// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::FindingsOfLog;
using testing::ReadLogText;
using testing::Steps;

FactStore WithTimeout(std::string_view log, std::string limit) {
  FactStore facts = ReadLogText(log);
  facts.Add(ConfigValue{.key = "timeout",
                        .value = std::move(limit),
                        .origin = ConfigValue::Origin::kJobScript,
                        .cite = {.source = SourceId{0}, .end = 4}});
  return facts;
}

TEST(EndedByWrapper, TiesStatusAndLimitOfTheScript) {
  const Findings found = FindingsOf(WithTimeout(Steps(30) + "2026-03-01 07:05:00 end, status 124\n", "5m"));
  EXPECT_TRUE(found.Has("wrapper-status"));
  EXPECT_TRUE(found.Has("ended-at-limit"));
}

TEST(EndedByWrapper, StaysSilentWhereTheLimitWasNotReached) {
  EXPECT_FALSE(FindingsOf(WithTimeout(Steps(30) + "2026-03-01 07:05:00 Training complete!\n", "6h")).Has("ended-at-limit"));
  EXPECT_FALSE(FindingsOf(WithTimeout(Steps(30) + "2026-03-01 07:05:00 end, status 124\n", "6h")).Has("ended-at-limit"));
}

TEST(EndedByWrapper, SaysNothingWithoutAWrapper) {
  EXPECT_FALSE(FindingsOfLog(Steps(30) + "2026-03-01 07:05:00 end, status 124\n").Has("wrapper-status"));
}

TEST(EndedByWrapper, SeesATimeoutThatKills) {
  const std::string killed = "./night.sh: line 11: 412 Killed                  timeout -s KILL 5m python train.py\n";
  const Findings found = FindingsOf(WithTimeout(Steps(31) + killed, "5m"));
  EXPECT_TRUE(found.Has("wrapper-status"));
  EXPECT_TRUE(found.Has("ended-at-limit"));
  EXPECT_FALSE(found.Has("sigkill-unexplained"));
  EXPECT_FALSE(FindingsOf(WithTimeout(Steps(31) + "./night.sh: line 11: 412 Killed                  python train.py\n", "5m"))
                   .Has("wrapper-status"));
}

}  // namespace
}  // namespace assay
