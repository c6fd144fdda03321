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

TEST(SharedDevice, TakesTheRefusalsWordForAProcessOfTheListing) {
  const auto with = [](std::string_view pid) {
    FactStore facts = testing::ReadLogText(
        "2026-06-11 15:20:01 INFO pid 44120 on node a7\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 50.00 MiB. "
        "GPU 0 "
        "has a total capacity of 79.25 GiB of which 20.69 MiB is free. Process 31877 has 74.10 GiB memory in use. Including "
        "non-PyTorch memory, this process has 5.12 GiB memory in use. Of the allocated memory 4.60 GiB is allocated by PyTorch, "
        "and "
        "40.10 MiB is reserved by PyTorch but unallocated.\n");
    AddHolder(facts, "gpu.2.process." + std::string(pid), "VLLM::EngineCore", 1);
    return Ids(Conclude("shared-device", facts), "shared-device");
  };
  EXPECT_EQ(with("31877"), "foreign-gpu-process");
  EXPECT_EQ(with("31878"), "");
}

}  // namespace
}  // namespace assay
