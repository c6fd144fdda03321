// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::ReadLogText;
using testing::Steps;
using testing::Trace;

// A failed run with torch 2.6 and another one of the project with `version`, which has these lines.
Findings Compared(std::string version, std::string commit, bool ended_well) {
  FactStore facts = ReadLogText(Steps(3) + Trace("ValueError: bad"));
  const Citation cite{.source = SourceId{0}, .begin = 0, .end = 4};
  facts.Add(ConfigValue{.key = "package.torch", .value = "2.6.0", .cite = cite});
  facts.Add(GitState{.commit = "aaaa", .cite = cite});
  FactStore& other = facts.AddSibling("exp1");
  other.Add(ConfigValue{.key = "package.torch", .value = std::move(version), .cite = cite});
  other.Add(GitState{.commit = std::move(commit), .cite = cite});
  MetricTable& table = other.AddTable(SourceId{0}, "key-value");
  table.planned_steps = ended_well ? 2 : 100;
  const std::size_t loss = table.Column("loss");
  for (const int step : {1, 2}) {
    table.AddRow({.step = step});
    table.Set(loss, 0.5);
  }
  return FindingsOf(facts);
}

TEST(ChangedSince, NamesPackagesAndCommits) {
  const Findings found = Compared("2.5.1", "bbbb", true);
  ASSERT_TRUE(found.Has("env-changed"));
  EXPECT_NE(found.Find("env-changed")->statement.find("torch 2.6.0 instead of 2.5.1"), std::string::npos);
  EXPECT_TRUE(found.Has("code-changed"));
}

TEST(ChangedSince, StaysSilentWithoutADifferenceOrAGoodRun) {
  EXPECT_FALSE(Compared("2.6.0", "aaaa", true).Has("env-changed"));
  EXPECT_FALSE(Compared("2.6.0", "aaaa", true).Has("code-changed"));
  EXPECT_FALSE(Compared("2.5.1", "bbbb", false).Has("env-changed"));
}

}  // namespace
}  // namespace assay
