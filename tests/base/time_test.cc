// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ParseTimePrefix, ReadsOffsetsAndTellsTimesWithoutAZoneApart) {
  EXPECT_EQ(ParseTimePrefix("2026-11-30T12:00:00Z")->time, (Time{1796040000, true}));
  EXPECT_EQ(ParseTimePrefix("2026-11-30T13:00:00+01:00 x")->time, (Time{1796040000, true}));
  EXPECT_EQ(ParseTimePrefix("2026-11-30 12:00:00,250 - root")->time, (Time{1796040000.25, false}));
}

TEST(ParseTimePrefix, RefusesWhatIsNoTime) {
  for (const char* text : {"2026-13-01 00:00:00", "2026-11-30", "12:00:00", "2026-11-30 12:0", ""})
    EXPECT_FALSE(ParseTimePrefix(text)) << text;
}

TEST(FormatTime, RoundTrips) {
  EXPECT_EQ(FormatTime({1796040000, true}), "2026-11-30T12:00:00Z");
  EXPECT_EQ(FormatTime({1796040000.25, false}), "2026-11-30T12:00:00.250");
  EXPECT_EQ(FormatTime({-1, true}), "1969-12-31T23:59:59Z");
}

}  // namespace
}  // namespace assay
