// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::AddReading;
using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;

FactStore Samples(std::size_t count, auto percent, std::string_view because = "it was saved beside the run") {
  FactStore facts;
  for (std::size_t i = 0; i < count; ++i) AddReading(facts, "gpu.0.utilisation", percent(i), i + 1, because);
  return facts;
}

TEST(GpuLoad, FindsTheSawTooth) {
  const Findings findings = Conclude("gpu-load", Samples(60, [](std::size_t i) { return i % 6 < 4 ? 0.0 : 95.0; }));
  EXPECT_EQ(Ids(findings, "gpu-load"), "gpu-util-low gpu-sawtooth");
  EXPECT_EQ(findings.Find("gpu-sawtooth")->statement,
            "The utilisation of device 0 rose 10 times from below 10 % to above 70 %, and was below it in 40 of 60 samples.");
}

TEST(GpuLoad, LeavesABusyDeviceWithEvaluationsAlone) {
  EXPECT_EQ(Ids(Conclude("gpu-load", Samples(200, [](std::size_t i) { return i % 40 == 0 ? 2.0 : 97.0; })), "gpu-load"), "");
}

TEST(GpuLoad, CallsALowMeanLowOnly) {
  EXPECT_EQ(Ids(Conclude("gpu-load", Samples(60, [](std::size_t i) { return 40.0 + static_cast<double>(i % 5); })), "gpu-load"),
            "gpu-util-low");
}

TEST(GpuLoad, LeavesIrregularIdleTimesAlone) {
  // Long saves and evaluations: idle at four places of different distance.
  EXPECT_FALSE(
      Conclude("gpu-load",
               Samples(100, [](std::size_t i) { return i > 80 || (i > 10 && i < 14) || (i > 40 && i < 50) ? 0.0 : 96.0; }))
          .Has("gpu-sawtooth"));
}

TEST(GpuLoad, NeedsThirtySamplesOfThisRun) {
  EXPECT_TRUE(IsNotChecked(Conclude("gpu-load", Samples(20, [](std::size_t) { return 30.0; })), "gpu-util-low"));
  EXPECT_TRUE(
      IsNotChecked(Conclude("gpu-load", Samples(60, [](std::size_t i) { return i % 6 < 4 ? 0.0 : 95.0; }, "")), "gpu-sawtooth"));
}

}  // namespace
}  // namespace assay
