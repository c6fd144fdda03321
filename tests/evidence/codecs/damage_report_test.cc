// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/damage_report.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(DamageReport, TellsTheFirstPlacesSinglyAndCountsTheRest) {
  FactStore facts;
  {
    DamageReport report(SourceId{0}, facts);
    for (std::uint64_t i = 0; i < 100; ++i) report.Add(AnomalyKind::kCorrupt, i * 10, i * 10 + 3, "A record is wrong.");
  }
  const auto anomalies = FactView(facts).anomalies();
  ASSERT_EQ(anomalies.size(), DamageReport::kSingly + 1);
  EXPECT_EQ(anomalies[0].statement, "A record is wrong.");
  EXPECT_EQ(anomalies[7].cite.begin, 70U);
  EXPECT_EQ(anomalies[8].statement, "92 more places of this file are damaged.");
  EXPECT_EQ(anomalies[8].cite.begin, 80U);
  EXPECT_EQ(anomalies[8].cite.end, 993U);
  EXPECT_EQ(anomalies[8].bytes_lost, 276U);
}

TEST(DamageReport, SaysNothingOfASoundFile) {
  FactStore facts;
  {
    const DamageReport report(SourceId{0}, facts);
  }
  EXPECT_TRUE(FactView(facts).anomalies().empty());
}

}  // namespace
}  // namespace assay
