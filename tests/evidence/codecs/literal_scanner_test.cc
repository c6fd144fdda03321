// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/literal_scanner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
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
RC_GTEST_PROP(LiteralScannerProperties, EqualsAComparisonAtEveryPlace, (bool all_bytes)) {
  const auto letter = all_bytes ? rc::gen::arbitrary<char>() : rc::gen::inRange('a', 'd');
  const auto text = [&](int longest) { return rc::gen::resize(longest, rc::gen::container<std::string>(letter)); };
  const std::string window = *text(3000);
  auto literals = *rc::gen::container<std::vector<std::string>>(rc::gen::nonEmpty(text(12)));
  for (std::size_t at = 0; at < window.size(); at += 97) literals.push_back(window.substr(at, 1 + at % 12));
  RC_PRE(!literals.empty());
  RC_ASSERT(Scanned(literals, window) == Expected(literals, window));
}

}  // namespace
}  // namespace assay
