// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;

constexpr std::string_view kRule = "memory-growth";
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

FactStore Column(std::string_view name, int rows, const std::function<double(int)>& value) {
  FactStore facts;
  const SourceId source = facts.AddSource({.path = "metrics.csv", .size = 100000});
  MetricTable& table = facts.AddTable(source, "test");
  const std::size_t column = table.Column(name);
  for (int i = 0; i < rows; ++i) {
    table.AddRow({.step = i * 10, .offset = static_cast<std::uint64_t>(i) * 20, .length = 19});
    table.Set(column, value(i));
  }
  return facts;
}
double Noise(int i) { return 0.01 * std::sin(i * 12.9898); }

TEST(MemoryGrowth, Steady) {
  EXPECT_EQ(Ids(Conclude(kRule, Column("max_mem", 200, [](int i) { return (4 + 0.02 * i + Noise(i)) * kGiB; })), kRule),
            "growth-linear");
  EXPECT_EQ(Ids(Conclude(kRule, Column("gpu_mem", 200, [](int i) { return 4 + 0.02 * i + Noise(i); })), kRule), "growth-linear");
}

TEST(MemoryGrowth, Flat) {
  EXPECT_EQ(Ids(Conclude(kRule, Column("memory", 200, [](int i) { return (4 + Noise(i)) * kGiB; })), kRule), "");
}

TEST(MemoryGrowth, ACacheThatFills) {
  EXPECT_EQ(
      Ids(Conclude(kRule, Column("memory", 200, [](int i) { return (4 + 4 * (1 - std::exp(-i / 15.0)) + Noise(i)) * kGiB; })),
          kRule),
      "");
}

TEST(MemoryGrowth, JumpsOfARunningMaximum) {
  EXPECT_EQ(Ids(Conclude(kRule, Column("memory", 70, [](int i) { return (i < 20   ? 7.0
                                                                         : i < 45 ? 8.4
                                                                                  : 10.7) *
                                                                        kGiB; })), kRule),
            "growth-steps");
}

TEST(MemoryGrowth, AMaximumThatSettlesInTheFirstRows) {
  EXPECT_EQ(Ids(Conclude(kRule, Column("memory", 70, [](int i) { return (i < 3 ? 7.0 : 8.4) * kGiB; })), kRule), "");
}

TEST(MemoryGrowth, TooFewRows) {
  EXPECT_EQ(Ids(Conclude(kRule, Column("memory", 20, [](int i) { return (4 + 0.2 * i) * kGiB; })), kRule), "");
}

TEST(MemoryGrowth, SharesAreNoBytes) {
  EXPECT_EQ(Ids(Conclude(kRule, Column("gpu.0.memory_percent", 200, [](int i) { return 40 + 0.1 * i; })), kRule), "");
}

TEST(MemoryGrowth, AHostProcess) {
  EXPECT_EQ(Ids(Conclude(kRule, Column("proc.memory.rssMB", 200, [](int i) { return 4000 + 20 * i + 10 * Noise(i); })), kRule),
            "host-rss-growth");
}

}  // namespace
}  // namespace assay
