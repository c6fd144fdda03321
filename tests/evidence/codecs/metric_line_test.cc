// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/metric_line.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(MetricLine, BringsUnitsToThoseOfTheTable) {
  MetricLine line;
  line.Add("time", 250, "ms");
  line.Add("data_time", 500, "us");
  line.Add("fwd", 12, "ms");
  line.Add("memory", 2, "GiB");
  line.Add("mfu", 38, "%");
  ASSERT_EQ(line.values().size(), 5U);
  EXPECT_EQ(line.values()[0].name, "step_time");
  EXPECT_EQ(line.values()[0].value, 0.25);
  EXPECT_EQ(line.values()[1].value, 0.0005);
  EXPECT_EQ(line.values()[2].name, "fwd_ms");
  EXPECT_EQ(line.values()[3].value, 2147483648.0);
  EXPECT_EQ(line.values()[4].value, 38);
}

TEST(MetricLine, RefusesStepsThatAreNoCounts) {
  MetricLine line;
  for (const double value : {1e300, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    line.SetStep(value);
    EXPECT_EQ(line.step, kNoStep);
  }
  line.SetStep(12);
  EXPECT_EQ(line.step, 12);
}

TEST(MetricLine, KeepsABoundedNumberOfValues) {
  MetricLine line;
  for (int i = 0; i < 1000; ++i) line.Add("x", i);
  EXPECT_EQ(line.values().size(), 64U);
}

}  // namespace
}  // namespace assay
