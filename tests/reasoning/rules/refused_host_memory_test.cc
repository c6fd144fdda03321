// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;

constexpr std::string_view kRule = "refused-host-memory";
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr std::string_view kRefused =
    "2026-05-05 10:00:00 RuntimeError: [enforce fail at alloc_cpu.cpp:114] err == 0. DefaultCPUAllocator: can't allocate memory: "
    "you tried to allocate "
    "34359738368 bytes. Error code 12 (Cannot allocate memory)\n";
const Time kTime{.seconds = 1777975200, .zoned = false};

FactStore WithReadings(std::vector<Reading> readings, std::string_view log = kRefused) {
  FactStore facts = testing::ReadLogText(log);
  const SourceId source = facts.AddSource({.path = "limits", .kind = SourceKind::kReading});
  std::uint64_t at = 0;
  for (Reading& reading : readings) {
    reading.cite = {.source = source, .begin = at, .end = at + 10};
    reading.belongs_because = reading.belongs_because.empty() ? "pid 4242 is named in train.log" : "";
    at += 10;
    facts.Add(std::move(reading));
  }
  return facts;
}

TEST(RefusedHostMemory, ALimitBelowTheRequest) {
  const Findings findings = Conclude(kRule, WithReadings({{.name = "limit.virtual_memory", .value = 16 * kGiB}}));
  EXPECT_EQ(Ids(findings, kRule), "rlimit-refusal");
  EXPECT_TRUE(IsNotChecked(findings, "host-memory-free"));
}

TEST(RefusedHostMemory, ALimitInTheScriptThatStartsTheRun) {
  const auto concluded = [](std::string value) {
    FactStore facts = testing::ReadLogText(kRefused);
    const SourceId source = facts.AddSource({.path = "run.sh", .size = 100});
    facts.Add(ConfigValue{.key = "ulimit",
                          .value = std::move(value),
                          .origin = ConfigValue::Origin::kJobScript,
                          .cite = {.source = source, .begin = 0, .end = 20, .line = 2}});
    return Ids(Conclude(kRule, facts), kRule);
  };
  EXPECT_EQ(concluded("-v 33554431"), "rlimit-refusal");
  EXPECT_EQ(concluded("-Sv 16777216"), "rlimit-refusal");
  EXPECT_EQ(concluded("-n 4096"), "");
  EXPECT_EQ(concluded("-v unlimited"), "");
}

TEST(RefusedHostMemory, ALimitOfAnotherProcess) {
  const Findings findings =
      Conclude(kRule, WithReadings({{.name = "limit.virtual_memory", .value = 16 * kGiB, .belongs_because = "nobody"}}));
  EXPECT_EQ(Ids(findings, kRule), "");
  EXPECT_TRUE(IsNotChecked(findings, "rlimit-refusal"));
}

TEST(RefusedHostMemory, ALimitFarAboveTheRequest) {
  EXPECT_EQ(Ids(Conclude(kRule, WithReadings({{.name = "limit.virtual_memory", .value = 400 * kGiB}})), kRule), "");
}

TEST(RefusedHostMemory, HostAndCgroupHadRoomAtTheTime) {
  EXPECT_EQ(Ids(Conclude(kRule, WithReadings({{.name = "host.memory_available", .value = 400 * kGiB, .time = kTime},
                                              {.name = "cgroup.memory.current", .value = 10 * kGiB, .time = kTime},
                                              {.name = "cgroup.memory.max", .value = 300 * kGiB, .time = kTime}})),
                kRule),
            "host-memory-free");
  const Findings later = Conclude(
      kRule, WithReadings({{.name = "host.memory_available", .value = 400 * kGiB, .time = Time{kTime.seconds + 3600, false}},
                           {.name = "cgroup.memory.current", .value = 10 * kGiB},
                           {.name = "cgroup.memory.max", .value = 300 * kGiB}}));
  EXPECT_EQ(Ids(later, kRule), "");
  EXPECT_TRUE(IsNotChecked(later, "host-memory-free"));
}

TEST(RefusedHostMemory, StrictOvercommit) {
  EXPECT_EQ(Ids(Conclude(kRule, WithReadings({{.name = "host.overcommit_memory", .value = 2},
                                              {.name = "host.committed", .value = 100 * kGiB},
                                              {.name = "host.commit_limit", .value = 120 * kGiB}})),
                kRule),
            "overcommit-strict");
  EXPECT_EQ(Ids(Conclude(kRule, WithReadings({{.name = "host.overcommit_memory", .value = 2},
                                              {.name = "host.committed", .value = 10 * kGiB},
                                              {.name = "host.commit_limit", .value = 120 * kGiB}})),
                kRule),
            "");
}

TEST(RefusedHostMemory, FilesInMemory) {
  EXPECT_EQ(Ids(Conclude(kRule, WithReadings({{.name = "cgroup.memory.shmem", .value = 20 * kGiB},
                                              {.name = "cgroup.memory.max", .value = 64 * kGiB}},
                                             "x\n")),
                kRule),
            "tmpfs-in-cgroup");
}

TEST(RefusedHostMemory, ThePinMemoryThread) {
  EXPECT_EQ(Ids(ConcludeFromText(
                    kRule,
                    "Traceback (most recent call last):\n  File \"train.py\", line 3, in main\n    for x in loader:\n"
                    "  File \"/v/lib/python3.11/site-packages/torch/utils/data/_utils/pin_memory.py\", line 98, in pin_memory\n"
                    "    return data.pin_memory(device)\nRuntimeError: CUDA error: out of memory\n"),
                kRule),
            "pinned-refused");
}

TEST(RefusedHostMemory, AnOrdinaryErrorOfTheDevice) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule,
                                 "Traceback (most recent call last):\n  File \"train.py\", line 3, in main\n    y = model(x)\n"
                                 "RuntimeError: CUDA error: out of memory\n"),
                kRule),
            "");
}

}  // namespace
}  // namespace assay
