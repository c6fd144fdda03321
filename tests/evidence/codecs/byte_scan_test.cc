// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/byte_scan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

// The definition, byte by byte: the first place from which nothing valid follows.
std::optional<std::size_t> Slow(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t length = 0;
    for (std::size_t n = 1; n <= 4 && at + n <= bytes.size() && length == 0; ++n) {
      if (IsValidUtf8(bytes.substr(at, n))) length = n;
    }
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

TEST(ByteScan, FindsShortTextsAtEveryPlace) {
  const std::vector<std::string_view> wanted{"%|", "->", "x", "||"};
  for (std::size_t size = 0; size < 100; ++size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += "%|->x. "[(i * i + size) % 7];
    std::vector<std::size_t> expected;
    for (std::size_t at = 0; at < size; ++at) {
      for (const std::string_view w : wanted) {
        if (std::string_view(text).substr(at, w.size()) != w) continue;
        expected.push_back(at);
        break;
      }
    }
    std::vector<std::size_t> places;
    FindShort(text, wanted, places);
    EXPECT_EQ(places, expected) << text;
  }
}

TEST(ByteScan, CountsLikeStdCount) {
  for (const std::size_t size : {0U, 1U, 31U, 32U, 33U, 1000U, 32U * 255U, 32U * 256U + 7U, 100000U}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; i += 1 + i % 5) text[i] = '\n';
    EXPECT_EQ(CountByte(text, '\n'), static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'))) << size;
  }
  EXPECT_EQ(CountByte(std::string(1 << 20, '\n'), '\n'), 1U << 20U);
}

TEST(ByteScan, FindsTheFirstByteThatIsNoUtf8) {
  EXPECT_FALSE(FirstInvalidUtf8("").has_value());
  EXPECT_FALSE(FirstInvalidUtf8("loss █▏ 中 \xF0\x9F\x98\x80").has_value());
  for (const std::string_view bad :
       {"\x80", "\xC0\xAF", "\xE2\x96", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xE0\x80\x80", "\xFF"}) {
    for (std::size_t before = 0; before < 70; ++before) {
      for (const std::string_view after : {"", "abc", "                                                  "}) {
        const std::string text = std::string(before, 'a') + std::string(bad) + std::string(after);
        EXPECT_EQ(FirstInvalidUtf8(text), before) << before;
      }
    }
  }
}

RC_GTEST_PROP(ByteScanProperties, AgreesWithTheDefinition, (unsigned char damage)) {
  const auto piece = rc::gen::element<std::string>("a", "\n", "é", "█", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                                   "\xF4\x8F\xBF\xBF", "\xC2\x80", "\xE0\xA0\x80");
  const auto pieces = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(piece));
  std::string text = std::accumulate(pieces.begin(), pieces.end(), std::string());
  RC_ASSERT(!FirstInvalidUtf8(text).has_value());
  text[*rc::gen::inRange<std::size_t>(0, text.size())] = static_cast<char>(damage);
  RC_ASSERT(FirstInvalidUtf8(text) == Slow(text));
}

}  // namespace
}  // namespace assay
