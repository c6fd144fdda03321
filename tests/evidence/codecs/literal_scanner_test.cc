// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/literal_scanner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

namespace assay {
namespace {

using Found = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

Found Scanned(const std::vector<std::string>& literals, std::string_view window) {
  const std::vector<std::string_view> views(literals.begin(), literals.end());
  std::vector<LiteralScanner::Hit> hits;
  LiteralScanner(views).Scan(window, hits);
  EXPECT_TRUE(std::is_sorted(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.end < b.end; }));
  Found found;
  for (const LiteralScanner::Hit& hit : hits) found.emplace_back(hit.end, hit.literal);
  std::sort(found.begin(), found.end());
  return found;
}

// The same with nothing but a comparison at every place.
Found Expected(const std::vector<std::string>& literals, std::string_view window) {
  Found found;
  for (std::uint32_t i = 0; i < literals.size(); ++i) {
    for (std::size_t at = window.find(literals[i]); at != std::string_view::npos; at = window.find(literals[i], at + 1)) {
      found.emplace_back(at + literals[i].size(), i);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(LiteralScanner, FindsEveryLengthAtEveryPlace) {
  const std::string text = "CUDA out of memory. Tried to allocate";
  for (std::size_t length = 1; length <= text.size(); ++length) {
    const std::vector<std::string> literals{text.substr(0, length)};
    for (std::size_t before = 0; before < 40; ++before) {
      for (std::size_t behind = 0; behind < 20; ++behind) {
        const std::string window = std::string(before, '.') + literals[0] + std::string(behind, '.');
        ASSERT_EQ(Scanned(literals, window), Expected(literals, window)) << literals[0] << " " << before << " " << behind;
      }
    }
  }
}

TEST(LiteralScanner, FindsNothingInWindowsTooShort) {
  const std::vector<std::string> literals{"a", "ab", "abc", "abcd", "abcdefgh"};
  for (const std::string_view window : {"", "a", "ab", "bc", "abc"})
    EXPECT_EQ(Scanned(literals, window), Expected(literals, window));
}

TEST(LiteralScanner, KeepsEqualAndNestedLiteralsApart) {
  const std::vector<std::string> literals{"loss", "train loss: ", "loss", "s: ", ": ", "oss"};
  const std::string window = "train loss: loss: train loss: 1";
  EXPECT_EQ(Scanned(literals, window), Expected(literals, window));
}

// Few letters make many overlaps and near misses; bytes of all values come in between.
TEST(LiteralScanner, EqualsAComparisonAtEveryPlace) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const unsigned letters = round % 3 == 0 ? 256 : 2 + random() % 4;
    const auto text = [&](std::size_t length) {
      std::string out;
      for (std::size_t i = 0; i < length; ++i)
        out.push_back(static_cast<char>(letters == 256 ? random() : 'a' + random() % letters));
      return out;
    };
    const std::string window = text(random() % 3000);
    std::vector<std::string> literals;
    for (int i = 0; i < 40; ++i) {
      const std::size_t length = 1 + random() % 12;
      const bool taken = window.size() > length && i % 2 == 0;
      literals.push_back(taken ? window.substr(random() % (window.size() - length), length) : text(length));
    }
    ASSERT_EQ(Scanned(literals, window), Expected(literals, window)) << round;
  }
}

}  // namespace
}  // namespace assay
