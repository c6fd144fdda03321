// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/listing_facts.h"
#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format process_listing;
}
namespace {

using testing::CutEverywhere;
using testing::Fixture;
using testing::FlipEverywhere;
using testing::ReadAs;
using testing::Value;
using testing::Values;

TEST(ProcessListing, ReadsPs) {
  const FactStore facts = ReadAs(formats::process_listing, "ps.txt", Fixture("processes/ps.txt"));
  const FactView view(facts);
  ASSERT_EQ(view.All<ProcessSeen>().size(), 2U);
  EXPECT_EQ(view.All<ProcessSeen>()[1].pid, 9500);
  EXPECT_EQ(view.All<ProcessSeen>()[1].state, 'R');
  EXPECT_EQ(view.All<ProcessSeen>()[1].name, "python3");
  EXPECT_EQ(Value(facts, "process.9500.rss"), 136.0 * 1024);
  EXPECT_TRUE(view.All<ProcessSeen>()[1].belongs_because.empty());
}

TEST(ProcessListing, KeepsSecretsOfCommandLinesOut) {
  const FactStore facts =
      ReadAs(formats::process_listing, "ps.txt", "    PID CMD\n  12 python train.py --api_key=abcdefgh12345 --lr 1e-4\n");
  ASSERT_EQ(FactView(facts).All<ProcessSeen>().size(), 1U);
  EXPECT_EQ(FactView(facts).All<ProcessSeen>()[0].command.find("abcdefgh12345"), std::string::npos);
}

TEST(ProcessListing, ReadsMemoryAndLimits) {
  const FactStore facts = ReadAs(formats::process_listing, "limits.txt", Fixture("processes/limits.txt"));
  const std::vector<double> total = Values(facts, "host.memory_total");
  ASSERT_EQ(total.size(), 2U);
  EXPECT_EQ(total[0], 24684084.0 * 1024);
  EXPECT_NEAR(total[1], total[0], 0.03 * total[0]);
  EXPECT_EQ(Values(facts, "limit.open_files"), (std::vector<double>{20000, 20000}));
  EXPECT_EQ(Values(facts, "limit.stack"), (std::vector<double>{8388608, 8388608}));
  EXPECT_TRUE(std::isinf(Value(facts, "limit.virtual_memory")));
  EXPECT_EQ(Value(facts, "host.swap_total"), 0);
  const FactStore info = ReadAs(formats::process_listing, "meminfo.txt", Fixture("processes/meminfo.txt"));
  EXPECT_EQ(Value(info, "host.memory_total"), 24684084.0 * 1024);
}

TEST(ProcessListing, AsksTheCommandForTheUnit) {
  constexpr std::string_view kTable =
      "              total        used        free      shared  buff/cache   available\nMem:          64012       40110       "
      "10000\n";
  EXPECT_EQ(Value(ReadAs(formats::process_listing, "f", "$ free -m\n" + std::string(kTable)), "host.memory_total"),
            64012.0 * 1024 * 1024);
  EXPECT_TRUE(Values(ReadAs(formats::process_listing, "f", kTable), "host.memory_total").empty());
}

TEST(ProcessListing, BearsDamage) {
  for (const std::string_view name : {"processes/ps.txt", "processes/limits.txt"}) {
    const std::string bytes = Fixture(name);
    const FactStore whole = ReadAs(formats::process_listing, "s", bytes);
    CutEverywhere(
        formats::process_listing, "s", bytes,
        [&](std::size_t, const FactStore& facts) { testing::ExpectNoNewReadings(facts, whole); }, 3);
    FlipEverywhere(formats::process_listing, "s", bytes, 3);
  }
}

}  // namespace
}  // namespace assay
