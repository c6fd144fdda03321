// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/table_text.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

using Cells = std::vector<std::string_view>;

Cells Of(std::string_view text) {
  Cells cells;
  EXPECT_TRUE(SplitCells(text, cells, 8));
  return cells;
}

TEST(TableText, SplitsAtBlanksTabsAndRules) {
  EXPECT_EQ(Of("  epoch   main/loss\ttwo words  "), (Cells{"epoch", "main/loss", "two words"}));
  EXPECT_EQ(Of("| a | | c |"), (Cells{"a", "", "c"}));
  EXPECT_EQ(Of("│ val loss │ 0.5 │"), (Cells{"val loss", "0.5"}));
  EXPECT_EQ(Of("a | b"), (Cells{"a", "b"}));
}

TEST(TableText, StopsAtTheLimit) {
  Cells cells;
  EXPECT_FALSE(SplitCells(std::string(100000, '|'), cells, 8));
  EXPECT_LE(cells.size(), 10U);
}

TEST(TableText, KnowsRules) {
  EXPECT_TRUE(IsRuleLine("┡━━━━╇━━━━┩"));
  EXPECT_TRUE(IsRuleLine("|---|:--:|"));
  EXPECT_TRUE(IsRuleLine(""));
  EXPECT_FALSE(IsRuleLine("- a"));
  EXPECT_FALSE(IsRuleLine("\xE2\x98\x83"));
}

}  // namespace
}  // namespace assay
