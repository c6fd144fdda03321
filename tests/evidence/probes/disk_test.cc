// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/listing_facts.h"
#include "tests/support/probing.h"
#include "tests/support/reading.h"

namespace assay {
namespace probes {
extern const Probe disk;
}
namespace {

using testing::TextOf;
using testing::Understood;
using testing::Value;
using testing::Values;

TEST(DiskProbe, ReadsSpaceAndInodes) {
  const FactStore facts = Understood(probes::disk,
                                     "/dev/shm|tmpfs|shared|4096|16384|0|0|1000|900|0\n"
                                     "/scratch|lustre|project|4096|1000|30|20|0|0|1\n",
                                     {.project = "/scratch/lm"});
  EXPECT_EQ(Value(facts, "disk./dev/shm.size"), 64.0 * 1024 * 1024);
  EXPECT_EQ(Value(facts, "disk./dev/shm.free"), 0);
  EXPECT_EQ(Value(facts, "disk./dev/shm.inodes_free"), 900);
  EXPECT_EQ(Value(facts, "disk./scratch.free"), 20.0 * 4096);
  EXPECT_EQ(Value(facts, "disk./scratch.used"), 970.0 * 4096);
  EXPECT_EQ(TextOf(facts, "disk./scratch.type"), "lustre");
  EXPECT_EQ(Value(facts, "disk./scratch.read_only"), 1);
  EXPECT_TRUE(Values(facts, "disk./scratch.inodes").empty());  // this one counts none
  for (const Reading& reading : FactView(facts).All<Reading>()) {
    EXPECT_TRUE(reading.live);
    EXPECT_EQ(reading.belongs_because, reading.name.starts_with("disk./scratch.") ? "the run's project lies on it" : "")
        << reading.name;
  }
}

TEST(DiskProbe, ReadsTheQuota) {
  const FactStore facts = Understood(probes::disk, testing::Fixture("df/quota.txt"));
  EXPECT_EQ(Value(facts, "quota.home-nfs:/export/u.used"), 100.0 * 1024 * 1024 * 1024);
}

TEST(DiskProbe, SaysWhenTheMountsAreNotShown) {
  const FactStore facts = testing::Probed(probes::disk, MemoryFileSystem());
  ASSERT_EQ(FactView(facts).not_checked().size(), 1U);
  EXPECT_EQ(FactView(facts).not_checked()[0].what, "free space");
}

TEST(DiskProbe, LooksAtThisMachine) {
  const RealFileSystem files;
  ChildOutput child{.finished = true};
  ProbeOutput output([&](std::string_view text) { child.text += text; });
  probes::disk.collect({.files = files, .project = "/"}, output);
  FactStore facts;
  InterpretProbe(probes::disk, child, {}, facts);
  EXPECT_GT(Value(facts, "disk./.size"), 0);
}

TEST(DiskProbe, BearsAnyText) {
  for (const std::string_view text :
       {"|||||||||\n", "a|b|c|nan|1|1|1|1|1|0\n", "a|b|c|-1|1|1|1|1|1|0\n", "a|b|c|1e308|1e308|1|1|1|1|0", "\xff\n"}) {
    Understood(probes::disk, text);
  }
}

}  // namespace
}  // namespace assay
