// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/listing_facts.h"
#include "tests/support/probing.h"

namespace assay {
namespace probes {
extern const Probe host;
}
namespace {

using testing::Probed;
using testing::TextOf;
using testing::Value;

MemoryFileSystem Machine() {
  MemoryFileSystem files;
  files.Add("/proc/sys/kernel/hostname", "rig-2\n");
  files.Add("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  files.Add("/proc/sys/kernel/random/boot_id", "7d1b0c3e-0000-4000-8000-000000000001\n");
  files.Add("/proc/stat", "cpu 1 2 3\nintr 5\nbtime 1780000000\nprocesses 9\n");
  files.Add("/proc/meminfo",
            "MemTotal:       24684084 kB\nMemFree: 1 kB\nMemAvailable:   23729752 kB\nSwapTotal:             0 kB\nSwapFree:     "
            "         0 kB\n");
  files.Add("/proc/loadavg", "4.90 3.49 1.00 3/400 9000\n");
  files.Add("/proc/pressure/memory",
            "some avg10=0.00 avg60=1.00 avg300=12.50 total=99\nfull avg10=0.00 avg60=0.00 avg300=3.00 total=9\n");
  files.Add("/sys/devices/system/cpu/online", "0-3,8\n");
  return files;
}

TEST(HostProbe, ReadsTheMachine) {
  const FactStore facts = Probed(probes::host, Machine(), {.hosts = {{.value = "rig-2", .said = "train.log:1"}}});
  EXPECT_EQ(TextOf(facts, "host.name"), "rig-2");
  EXPECT_EQ(TextOf(facts, "host.kernel"), "6.1.0-18-amd64");
  EXPECT_EQ(Value(facts, "host.boot_time"), 1780000000);
  EXPECT_EQ(Value(facts, "host.memory_total"), 24684084.0 * 1024);
  EXPECT_EQ(Value(facts, "host.memory_available"), 23729752.0 * 1024);
  EXPECT_EQ(Value(facts, "host.load"), 4.9);
  EXPECT_EQ(Value(facts, "host.pressure.memory"), 12.5);
  EXPECT_EQ(Value(facts, "host.cpus"), 5);
  for (const Reading& reading : FactView(facts).All<Reading>()) {
    EXPECT_TRUE(reading.live);
    EXPECT_EQ(reading.belongs_because, "this host is named in train.log:1");
  }
  EXPECT_TRUE(FactView(facts).not_checked().empty());
}

TEST(HostProbe, AnotherHostIsNoEvidence) {
  for (const RunTies& ties : {RunTies{}, RunTies{.hosts = {{.value = "rig-9", .said = "train.log:1"}}}}) {
    const FactStore facts = Probed(probes::host, Machine(), ties);
    EXPECT_FALSE(FactView(facts).All<Reading>().empty());
    for (const Reading& reading : FactView(facts).All<Reading>()) EXPECT_EQ(reading.belongs_because, "") << reading.name;
  }
}

TEST(HostProbe, SaysWhatIsMissing) {
  const FactStore facts = Probed(probes::host, MemoryFileSystem());
  EXPECT_EQ(FactView(facts).not_checked().size(), 7U);  // pressure is optional
  EXPECT_TRUE(FactView(facts).All<Reading>().empty());
}

TEST(HostProbe, BearsAnyText) {
  const std::string_view text =
      "== /proc/meminfo\nMemTotal: nan kB\nMemTotal:\nMemTotal: -5 kB\n== /proc/stat\nbtime x\n== "
      "/sys/devices/system/cpu/online\n9-0,-,1-999999999999,\xff\n";
  for (std::size_t length = 0; length <= text.size(); ++length) testing::Understood(probes::host, text.substr(0, length));
}

}  // namespace
}  // namespace assay
