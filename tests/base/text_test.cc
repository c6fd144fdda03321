// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace assay {
namespace {

TEST(EqualsShort, SeesADifferenceAtEachPlaceOfEachLength) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string text(size, 'x');
    EXPECT_TRUE(EqualsShort(text, std::string(size, 'x')));
    EXPECT_FALSE(EqualsShort(text, text + 'x'));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = 'y';
      EXPECT_FALSE(EqualsShort(text, other)) << size << " " << at;
    }
  }
}

TEST(ParseNumber, TakesWhatPythonAndLoggersPrint) {
  EXPECT_EQ(ParseNumber("1e-05"), 1e-05);
  EXPECT_EQ(ParseNumber("1_000"), 1000.0);
  EXPECT_EQ(ParseNumber("-3.5"), -3.5);
  EXPECT_TRUE(std::isnan(ParseNumber("nan").value()));
  EXPECT_TRUE(std::isinf(ParseNumber("-Infinity").value()));
  EXPECT_EQ(ParseNumber("1e999"), HUGE_VAL);
}

// Short numbers are read without the library; both must give the same double.
TEST(ParseNumber, EqualsTheLibraryOnNumbersOfEveryLength) {
  unsigned state = 1;
  const auto next = [&state] { return state = state * 1664525U + 1013904223U, state >> 8U; };
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (unsigned n = next() % 19; n > 0; --n) text += static_cast<char>('0' + next() % 10);
    if (text.empty()) text = "0";
    if (next() % 2 == 0) text += '.';
    if (text.back() == '.') {
      for (unsigned n = next() % 12; n > 0; --n) text += static_cast<char>('0' + next() % 10);
    }
    const unsigned kind = next() % 4;
    if (kind == 1) text += "e-" + std::to_string(next() % 40);
    if (kind == 2) text += "E+" + std::to_string(next() % 40);
    if (kind == 3) text += "e";
    const auto number = ParseNumberPrefix(text);
    ASSERT_TRUE(number) << text;
    char* end = nullptr;
    EXPECT_EQ(number->value, std::strtod(text.c_str(), &end)) << text;
    EXPECT_EQ(number->length, static_cast<std::size_t>(end - text.c_str())) << text;
  }
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
