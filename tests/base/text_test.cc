// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

TEST(ParseNumber, TakesWhatPythonAndLoggersPrint) {
  EXPECT_EQ(ParseNumber("1e-05"), 1e-05);
  EXPECT_EQ(ParseNumber("1_000"), 1000.0);
  EXPECT_EQ(ParseNumber("-3.5"), -3.5);
  EXPECT_TRUE(std::isnan(ParseNumber("nan").value()));
  EXPECT_TRUE(std::isinf(ParseNumber("-Infinity").value()));
  EXPECT_EQ(ParseNumber("1e999"), HUGE_VAL);
}

TEST(ParseNumber, RefusesWhatOnlyStartsLikeANumber) {
  for (const char* text : {"", "-", "nano", "info", "1.2.3", "0x10", "1,000", " 1"}) EXPECT_FALSE(ParseNumber(text)) << text;
}

TEST(ParseNumberPrefix, StopsWhereTheNumberEnds) {
  EXPECT_EQ(ParseNumberPrefix("1,234 tps", true)->value, 1234);
  EXPECT_EQ(ParseNumberPrefix("1,234 tps")->value, 1);
  EXPECT_EQ(ParseNumberPrefix("12.5s/it")->length, 4U);
  EXPECT_FALSE(ParseNumberPrefix("information"));
}

TEST(ParseByteSize, ReadsEveryUnitOfTheAllocators) {
  EXPECT_EQ(ParseByteSize("20.00 MiB"), 20.0 * 1024 * 1024);
  EXPECT_EQ(ParseByteSize("512 bytes"), 512.0);
  EXPECT_EQ(ParseByteSize("10G"), 10.0 * 1024 * 1024 * 1024);
  EXPECT_FALSE(ParseByteSize("10 apples"));
  EXPECT_FALSE(ParseByteSize("nan GiB"));
}

TEST(Printable, DisarmsTerminalControlsAndReordering) {
  EXPECT_EQ(Printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(Printable("x\xE2\x80\xAEy"), "x\\u202ey");
  EXPECT_EQ(Printable("bad \xff byte"), "bad \\xff byte");
  EXPECT_EQ(Printable("tab\there"), "tab here");
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(Printable("aaaaaaaaaa", 6), "aaa…");
  EXPECT_TRUE(IsValidUtf8(Printable("ααααααα", 8)));
}

TEST(EditDistance, CountsSwappedNeighboursAsOne) {
  EXPECT_EQ(EditDistance("reprot", "report", 3), 1U);
  EXPECT_EQ(EditDistance("abc", "xyz", 2), 3U);
}

}  // namespace
}  // namespace assay
