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

}  // namespace
}  // namespace assay
