// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;

void AddHolder(FactStore& facts, std::string_view name, std::string_view program, std::uint64_t line) {
  testing::AddReading(facts, name, 8.0 * 1024 * 1024 * 1024, line);
  facts.Mutable<Reading>().back().text = std::string(program);
}
void AddOwn(FactStore& facts, std::int64_t pid) {
  const SourceId live = facts.AddSource({.path = "/proc", .kind = SourceKind::kReading, .format = "processes", .size = 100});
  facts.Add<ProcessSeen>({.pid = pid,
                          .name = "python",
                          .belongs_because = "pid 4242 is named in train.log:3",
                          .cite = {.source = live, .begin = 0, .end = 4}});
}

TEST(SharedDevice, FindsAProcessOfSomebodyElse) {
  FactStore facts;
  AddOwn(facts, 4242);
  AddHolder(facts, "gpu.0.process.4242", "python", 1);
  AddHolder(facts, "gpu.0.process.977", "/opt/conda/bin/python", 2);
  const Findings findings = Conclude("shared-device", facts);
  ASSERT_EQ(Ids(findings, "shared-device"), "foreign-gpu-process");
  EXPECT_EQ(findings.Find("foreign-gpu-process")->statement,
            "Process 977 (/opt/conda/bin/python) holds 8.00 GiB on device 0 beside the run's process 4242.");
}

TEST(SharedDevice, LeavesOtherDevicesMonitorsAndChildrenAlone) {
  FactStore facts;
  AddOwn(facts, 4242);
  facts.Add<ProcessSeen>(
      {.pid = 4300, .parent = 4242, .name = "python", .cite = {.source = testing::AddListing(facts), .begin = 8, .end = 12}});
  AddHolder(facts, "gpu.0.process.4242", "python", 1);
  AddHolder(facts, "gpu.0.process.4300", "python", 2);
  AddHolder(facts, "gpu.0.process.901", "/usr/lib/xorg/Xorg", 3);
  AddHolder(facts, "gpu.1.process.977", "python", 4);
  EXPECT_EQ(Ids(Conclude("shared-device", facts), "shared-device"), "");
}

TEST(SharedDevice, SaysWhenNoProcessIsKnownAsItsOwn) {
  FactStore facts;
  AddHolder(facts, "gpu.0.process.977", "python", 1);
  EXPECT_TRUE(IsNotChecked(Conclude("shared-device", facts), "foreign-gpu-process"));
  EXPECT_TRUE(IsNotChecked(Conclude("shared-device", FactStore()), "foreign-gpu-process"));
}

}  // namespace
}  // namespace assay
