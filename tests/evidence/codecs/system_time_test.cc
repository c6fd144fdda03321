// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/system_time.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string Read(std::string_view text) {
  const auto time = ParseSystemTime(text);
  return time ? FormatTime(time->time) + " " + std::to_string(time->length) : "none";
}

TEST(SystemTime, ReadsWhatToolsPrint) {
  EXPECT_EQ(Read("Wed Mar 17 13:20:31 2021"), "2021-03-17T13:20:31 24");
  EXPECT_EQ(Read("Mon Nov  2 10:14:21 2026] x"), "2026-11-02T10:14:21 24");
  EXPECT_EQ(Read("Mon May 11 22:39:02 UTC 2026"), "2026-05-11T22:39:02Z 28");
  EXPECT_EQ(Read("Fri Sep 27 16:02:11 CEST 2019"), "2019-09-27T16:02:11 29");
  EXPECT_EQ(Read("Mon, 30 Mar 2026 06:11:31 +0200"), "2026-03-30T04:11:31Z 31");
  EXPECT_EQ(Read("Mon, 30 Mar 2026 06:11:31"), "2026-03-30T06:11:31 25");
  EXPECT_EQ(Read("2026-03-30T06:11:31Z"), "2026-03-30T06:11:31Z 20");
}

TEST(SystemTime, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"", "Mon", "Mon May 11", "Mon Foo 11 22:39:02 2026", "Mon May 11 10:39:02 PM UTC 2026", "Mon May 41 22:39:02 2026",
        "Mon May 11 22:39 2026", "Monday May 11 22:39:02 2026", "Mon May 11 99:39:02 2026"}) {
    EXPECT_EQ(Read(text), "none") << text;
  }
}

TEST(SystemTime, ReadsDurations) {
  EXPECT_EQ(ParseClockDuration("1-02:03:04"), 86400.0 + 7384);
  EXPECT_EQ(ParseClockDuration("02:03:04"), 7384.0);
  EXPECT_EQ(ParseClockDuration("03:04.5"), 184.5);
  for (const std::string_view text : {"", "UNLIMITED", "12", "1-", "-1:00", "1:2:3:4", "a:b"})
    EXPECT_FALSE(ParseClockDuration(text).has_value()) << text;
}

}  // namespace
}  // namespace assay
