// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::AddConfig;
using testing::IsNotChecked;

Findings After(std::string_view wait, FactStore facts) {
  Findings findings;
  const FactView view(facts);
  if (!wait.empty()) findings.Add("test", wait, "Seen.", {{.source = SourceId{0}, .begin = 0, .end = 1}});
  for (const Rule* rule : rules::All()) {
    if (rule->id == "loader-workers") rule->evaluate(view, findings);
  }
  return findings;
}

TEST(LoaderWorkers, FindsNoneWhereTheRunWaits) {
  FactStore facts;
  AddConfig(facts, "data.num_workers", "0");
  EXPECT_TRUE(After("wait-share-high", std::move(facts)).Has("workers-zero"));
}

TEST(LoaderWorkers, LeavesAChoiceAloneThatCostsNothing) {
  FactStore facts;
  AddConfig(facts, "num_workers", "0");
  EXPECT_FALSE(After("wait-share-low", std::move(facts)).Has("workers-zero"));
  FactStore four;
  AddConfig(four, "num_workers", "4");
  EXPECT_FALSE(After("wait-share-high", std::move(four)).Has("workers-zero"));
}

TEST(LoaderWorkers, TrustsTheLogBeforeAFile) {
  FactStore facts = testing::ReadLogText("Using 8 dataloader workers\n");
  AddConfig(facts, "workers", "0");
  EXPECT_FALSE(After("wait-share-high", std::move(facts)).Has("workers-zero"));
}

TEST(LoaderWorkers, SaysWhenTheNumberIsUnknown) {
  EXPECT_TRUE(IsNotChecked(After("wait-share-high", FactStore()), "workers-zero"));
}

constexpr std::string_view kSuggestsOne =
    "UserWarning: This DataLoader will create 16 worker processes in total. Our suggested max number of worker in current system "
    "is 1, which is smaller than what this DataLoader is going to create.\n";

TEST(LoaderWorkers, MoreWorkersThanCores) {
  const Findings f = After("", testing::ReadLogText(kSuggestsOne));
  EXPECT_TRUE(f.Has("threads-over"));
  EXPECT_FALSE(f.Has("worker-affinity-narrow"));
  // That there are too many workers does not speak for too few.
  EXPECT_FALSE(f.Has("workers-warn"));
}

TEST(LoaderWorkers, FewerCoresThanTheJobWasGranted) {
  FactStore facts = testing::ReadLogText(kSuggestsOne);
  AddConfig(facts, "SBATCH.cpus-per-task", "16", ConfigValue::Origin::kJobScript);
  EXPECT_TRUE(After("", std::move(facts)).Has("worker-affinity-narrow"));
  FactStore one = testing::ReadLogText(kSuggestsOne);
  AddConfig(one, "SBATCH.cpus-per-task", "1", ConfigValue::Origin::kJobScript);
  EXPECT_FALSE(After("", std::move(one)).Has("worker-affinity-narrow"));
}

}  // namespace
}  // namespace assay
