// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;

void AddJob(FactStore& facts, std::string_view job, std::string_view node, std::string_view state, double elapsed,
            std::string_view because = "its name is the run's") {
  const SourceId source = testing::AddListing(facts, "sacct.txt");
  const std::uint64_t at = 64 * facts.Mutable<SchedulerRecord>().size();
  facts.Add<SchedulerRecord>({.job = std::string(job),
                              .state = std::string(state),
                              .node = std::string(node),
                              .elapsed_seconds = elapsed,
                              .belongs_because = std::string(because),
                              .cite = {.source = source, .begin = at, .end = at + 60}});
}

TEST(NodeHistory, FindsTheOneNodeOnWhichItFails) {
  FactStore facts;
  for (const std::string_view job : {"11", "12", "13"}) AddJob(facts, job, "gpu07", "FAILED", 900);
  for (const std::string_view job : {"14", "15", "16", "17"})
    AddJob(facts, job, "gpu0" + std::string(job.substr(1)), "COMPLETED", 7200);
  EXPECT_EQ(Ids(Conclude("node-history", facts), "node-history"), "");  // one of the clean ones is gpu07 itself
  FactStore clean;
  for (const std::string_view job : {"11", "12", "13"}) AddJob(clean, job, "gpu07", "FAILED", 900);
  for (const std::string_view job : {"14", "15", "16", "18"})
    AddJob(clean, job, "gpu0" + std::string(job.substr(1)), "COMPLETED", 7200);
  EXPECT_EQ(Ids(Conclude("node-history", clean), "node-history"), "other-node-clean one-host-only");
}

TEST(NodeHistory, LeavesChanceAndShorterRunsAlone) {
  FactStore facts;
  AddJob(facts, "11", "gpu07", "FAILED", 9000);
  AddJob(facts, "12", "gpu08", "COMPLETED", 600);
  EXPECT_EQ(Ids(Conclude("node-history", facts), "node-history"), "");
  FactStore foreign;
  AddJob(foreign, "11", "gpu07", "FAILED", 900, "");
  EXPECT_TRUE(IsNotChecked(Conclude("node-history", foreign), "one-host-only"));
}

void AddBoot(FactStore& facts, double boot, bool zoned = true) {
  const SourceId source = facts.AddSource({.path = "train.log", .format = "text-log", .size = 1000});
  facts.Add<LogShape>({.source = source,
                       .first_time = Time{.seconds = 1000, .zoned = zoned},
                       .last_time = Time{.seconds = 9000, .zoned = zoned},
                       .last_line = {.source = source, .begin = 900, .end = 950}});
  facts.Add<Reading>({.name = "host.boot_time",
                      .value = boot,
                      .live = true,
                      .belongs_because = "this host is named in train.log:1",
                      .cite = {.source = testing::AddListing(facts), .begin = 0, .end = 10}});
}

TEST(NodeHistory, FindsABootInsideTheRun) {
  FactStore facts;
  AddBoot(facts, 9100);
  EXPECT_TRUE(Conclude("node-history", facts).Has("node-rebooted"));
}

TEST(NodeHistory, LeavesOtherBootsAlone) {
  for (const double boot : {500.0, 20000.0}) {
    FactStore facts;
    AddBoot(facts, boot);
    EXPECT_FALSE(Conclude("node-history", facts).Has("node-rebooted")) << boot;
  }
  FactStore local;
  AddBoot(local, 5000, false);
  EXPECT_TRUE(IsNotChecked(Conclude("node-history", local), "node-rebooted"));
}

}  // namespace
}  // namespace assay
