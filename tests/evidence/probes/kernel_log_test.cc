// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/probing.h"
#include "tests/support/reading.h"

namespace assay {
namespace probes {
extern const Probe kernel_log;
}
namespace {

using testing::Probed;
using testing::Understood;

constexpr double kBoot = 1780000000;

// A machine with the real kill of tests/data/kernel_log, 2700.6 s after its boot.
MemoryFileSystem Machine(std::string kmsg = testing::Fixture("kernel_log/kmsg.txt")) {
  MemoryFileSystem files;
  files.Add("/dev/kmsg", std::move(kmsg));
  files.Add("/proc/stat", "cpu 1 2 3\nbtime 1780000000\n");
  files.Add("/proc/sys/kernel/hostname", "rig-2\n");
  return files;
}

RunTies TheRun() { return {.pids = {{.value = "9048", .said = "train.log:12"}}, .window = RunWindow{kBoot + 100, kBoot + 2700}}; }

std::string WhyOfKill(const FactStore& facts) {
  const auto kills = FactView(facts).Hits("kernel-oom-memcg");
  return kills.size() == 1 ? kills[0]->belongs_because : "not one kill";
}

TEST(KernelLogProbe, FindsTheKillOfTheRunsProcess) {
  const FactStore facts = Probed(probes::kernel_log, Machine(), TheRun());
  EXPECT_EQ(WhyOfKill(facts), "process 9048 of the line is named in train.log:12, and its time lies within the run's");
  const SignatureHit& kill = *FactView(facts).Hits("kernel-oom-memcg")[0];
  EXPECT_NEAR(kill.time->seconds, kBoot + 2700.618, 0.01);
  EXPECT_TRUE(kill.time->zoned);
  EXPECT_EQ(kill.origin, Origin::kKernelLog);
  const Source& source = FactView(facts).source(kill.cite.source);
  EXPECT_EQ(source.kind, SourceKind::kReading);
  EXPECT_NE(source.captured.substr(kill.cite.begin, kill.cite.end - kill.cite.begin).find("Killed process 9048"),
            std::string::npos);
  EXPECT_TRUE(FactView(facts).All<LogShape>().empty());
}

TEST(KernelLogProbe, KeepsAKillThatIsNotTheRunsWithoutATie) {
  RunTies other = TheRun();
  other.pids[0].value = "9049";
  EXPECT_EQ(WhyOfKill(Probed(probes::kernel_log, Machine(), other)), "");
  RunTies later = TheRun();
  later.window = RunWindow{kBoot + 5000, kBoot + 6000};
  EXPECT_EQ(WhyOfKill(Probed(probes::kernel_log, Machine(), later)), "");
  RunTies elsewhere = TheRun();
  elsewhere.hosts = {{.value = "rig-9", .said = "train.log:1"}};
  EXPECT_EQ(WhyOfKill(Probed(probes::kernel_log, Machine(), elsewhere)), "");
  RunTies timeless = TheRun();
  timeless.window.reset();
  EXPECT_EQ(WhyOfKill(Probed(probes::kernel_log, Machine(), timeless)), "");
}

TEST(KernelLogProbe, TiesByControlGroup) {
  RunTies by_group = TheRun();
  by_group.pids.clear();
  by_group.cgroups = {{.value = "/assay-fixture", .said = "process 12"}};
  const FactStore facts = Probed(probes::kernel_log, Machine(), by_group);
  const auto summary = FactView(facts).Hits("kernel-oom-constraint-memcg");
  ASSERT_EQ(summary.size(), 1U);
  EXPECT_EQ(
      summary[0]->belongs_because,
      "the control group of the line is that of /assay-fixture, which process 12 names, and its time lies within the run's");
}

TEST(KernelLogProbe, ALineAboutTheMachineNeedsTheHostByName) {
  const std::string line = "4,1,2600000000,-;NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus.\n";
  const FactStore without = Probed(probes::kernel_log, Machine(line), TheRun());
  ASSERT_FALSE(FactView(without).All<SignatureHit>().empty());
  EXPECT_EQ(FactView(without).All<SignatureHit>()[0].belongs_because, "");
  RunTies named = TheRun();
  named.hosts = {{.value = "rig-2", .said = "train.log:1"}};
  const FactStore with = Probed(probes::kernel_log, Machine(line), named);
  EXPECT_EQ(FactView(with).All<SignatureHit>()[0].belongs_because,
            "this host is named in train.log:1, and its time lies within the run's");
}

TEST(KernelLogProbe, SaysWhatItCouldNotSee) {
  const FactStore none = Probed(probes::kernel_log, MemoryFileSystem());
  ASSERT_EQ(FactView(none).not_checked().size(), 1U);
  EXPECT_EQ(FactView(none).not_checked()[0].what, "the kernel log");
  const FactStore late = Probed(probes::kernel_log, Machine(), TheRun());
  ASSERT_EQ(FactView(late).not_checked().size(), 1U);  // the buffer begins at the kill, the run 45 minutes before
  EXPECT_NE(FactView(late).not_checked()[0].why.find("reaches no further back"), std::string::npos);
}

TEST(KernelLogProbe, BearsAnyText) {
  const std::string text = "boot=1780000000.0 host=a\n" + testing::Fixture("kernel_log/kmsg.txt");
  for (std::size_t length = 0; length <= text.size(); length += 3)
    Understood(probes::kernel_log, std::string_view(text).substr(0, length), TheRun());
  for (const std::string_view odd :
       {"", "boot=", "boot=x host=", "boot=nan host=\n\xff\xfe\n", "boot=1e308 host=a\n4,1,99999999999999999999,-;x\n"}) {
    Understood(probes::kernel_log, odd, TheRun());
  }
}

}  // namespace
}  // namespace assay
