// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::AddListing;
using testing::AddReading;
using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;

// Forty samples; `slow` says which of them are throttled to `clock`.
FactStore Samples(auto slow, double clock, std::string_view reason, double utilisation = 98) {
  FactStore facts;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    AddReading(facts, "gpu.0.utilisation", utilisation, i);
    AddReading(facts, "gpu.0.clock_sm", slow(i) ? clock : 1780, i);
    AddReading(facts, reason, slow(i) ? 1 : 0, i);
  }
  return facts;
}

TEST(GpuHealth, FindsAThermalSlowdownUnderLoad) {
  const Findings findings =
      Conclude("gpu-health", Samples([](std::uint64_t i) { return i > 20; }, 860, "gpu.0.throttle.hw_thermal_slowdown"));
  EXPECT_EQ(Ids(findings, "gpu-health"), "gpu-throttle-hw clock-low");
  EXPECT_EQ(findings.Find("gpu-throttle-hw")->statement,
            "Device 0 reported hw thermal slowdown as active in 20 of 40 samples under load.");
}

TEST(GpuHealth, LeavesTheSoftwarePowerCapAlone) {
  EXPECT_EQ(Ids(Conclude("gpu-health", Samples([](std::uint64_t i) { return i > 20; }, 1600, "gpu.0.throttle.sw_power_cap")),
                "gpu-health"),
            "");
}

TEST(GpuHealth, LeavesAnIdleDeviceAlone) {
  EXPECT_EQ(Ids(Conclude("gpu-health", Samples([](std::uint64_t i) { return i > 20; }, 210, "gpu.0.throttle.gpu_idle", 3)),
                "gpu-health"),
            "");
  EXPECT_EQ(Ids(Conclude("gpu-health", Samples([](std::uint64_t i) { return i == 20; }, 1500, "gpu.0.throttle.hw_slowdown")),
                "gpu-health"),
            "");
}

TEST(GpuHealth, ComparesThePowerLimitWithTheDefaultAndWithTwins) {
  FactStore facts;
  AddReading(facts, "gpu.0.power_limit", 250, 1);
  AddReading(facts, "gpu.0.power_default_limit", 400, 1);
  EXPECT_EQ(Ids(Conclude("gpu-health", facts), "gpu-health"), "power-cap-low");
  FactStore twins;
  for (int i = 0; i < 4; ++i) {
    const std::string prefix = "gpu." + std::to_string(i) + ".";
    twins.Add<Reading>({.name = prefix + "name",
                        .text = "NVIDIA A100-SXM4-40GB",
                        .belongs_because = "saved",
                        .cite = {.source = AddListing(twins), .begin = 0, .end = 1}});
    AddReading(twins, prefix + "power_limit", i == 2 ? 300 : 400, static_cast<std::uint64_t>(i) + 1);
  }
  const Findings findings = Conclude("gpu-health", twins);
  ASSERT_TRUE(findings.Has("power-cap-low"));
  EXPECT_EQ(findings.Find("power-cap-low")->statement,
            "The power limit of device 2 is 300 W, while that of its 3 twins is 400 W.");
  FactStore equal;
  AddReading(equal, "gpu.0.power_limit", 400, 1);
  AddReading(equal, "gpu.0.power_default_limit", 400, 1);
  EXPECT_EQ(Ids(Conclude("gpu-health", equal), "gpu-health"), "");
}

TEST(GpuHealth, CountsUncorrectedErrors) {
  FactStore facts;
  AddReading(facts, "gpu.0.ecc_uncorrected", 0, 1);
  AddReading(facts, "gpu.3.ecc_uncorrected", 2, 2);
  const Findings findings = Conclude("gpu-health", facts);
  ASSERT_TRUE(findings.Has("ecc-uncorrected"));
  EXPECT_EQ(findings.Find("ecc-uncorrected")->statement, "Device 3 counts 2 uncorrected memory errors.");
}

TEST(GpuHealth, SaysWhenNoReadingBelongsToTheRun) {
  FactStore facts;
  AddReading(facts, "gpu.0.ecc_uncorrected", 2, 1, "");
  const Findings findings = Conclude("gpu-health", facts);
  EXPECT_EQ(Ids(findings, "gpu-health"), "");
  EXPECT_TRUE(IsNotChecked(findings, "gpu-throttle-hw"));
}

}  // namespace
}  // namespace assay
