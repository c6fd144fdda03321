// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "knowledge/tables.h"
#include "tests/support/command_run.h"

namespace assay {
namespace {

TEST(List, PrintsEveryEntryOfACatalogue) {
  const auto run = testing::RunAssay({"list", "causes", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(run.out).size(), knowledge::Causes().size());
}

TEST(List, WithoutAWordNamesWhatThereIs) {
  const auto run = testing::RunAssay({"list"});
  EXPECT_EQ(run.status, 0);
  for (const char* name : {"runs", "causes", "probes"}) EXPECT_NE(run.out.find(name), std::string::npos) << name;
}

TEST(List, MarksTheRunThatIsMeant) {
  const auto runs =
      nlohmann::json::parse(testing::RunAssay({"list", "runs", testing::CaseRun("rep-03"), "--format", "json"}).out);
  std::size_t meant = 0;
  for (const auto& run : runs) meant += run["meant"].get<bool>() ? 1U : 0U;
  EXPECT_EQ(meant, 1U);
}

TEST(List, NamesTheListsThatThereAre) {
  const auto run = testing::RunAssay({"list", "things"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("causes"), std::string::npos);
}

}  // namespace
}  // namespace assay
