// SPDX-License-Identifier: Apache-2.0
#include "surfaces/wrapping.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace assay {
namespace {

TEST(WrapPage, GoesOnUnderTheTextOfTheLine) {
  EXPECT_EQ(WrapPage("one two three\n", 8), "one two\nthree\n");
  EXPECT_EQ(WrapPage("  one two three\n", 9), "  one two\n  three\n");
  EXPECT_EQ(WrapPage("- one two three\n", 9), "- one two\n  three\n");
  EXPECT_EQ(WrapPage("12. one two three\n", 11), "12. one two\n    three\n");
  EXPECT_EQ(WrapPage("  --run ID   one two three\n", 20), "  --run ID   one two\n             three\n");
}

TEST(WrapPage, LeavesAloneWhatFits) { EXPECT_EQ(WrapPage("a  b\n\n    code\n", 8), "a  b\n\n    code\n"); }

TEST(WrapPage, LetsALongWordStandAlone) {
  EXPECT_EQ(WrapPage("see /a/very/long/path now\n", 6), "see\n/a/very/long/path\nnow\n");
}

TEST(WrapPage, CountsCharactersAndNotBytes) { EXPECT_EQ(WrapPage("äöü äöü\n", 7), "äöü äöü\n"); }

TEST(WrapPage, BearsAWidthBelowTheIndent) { EXPECT_EQ(WrapPage("          x yy\n", 4), "          x\n          yy\n"); }

// Nothing is lost or joined, and a line is wider only where one word is.
RC_GTEST_PROP(WrapPageProperties, KeepsEveryWordInOrder, ()) {
  const auto word = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z')));
  const auto words = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(word));
  const auto width = *rc::gen::inRange<std::size_t>(8, 100);
  std::string page;
  for (const std::string& w : words) page += (page.empty() ? "" : " ") + w;
  std::istringstream lines(WrapPage(page + "\n", width));
  std::vector<std::string> kept;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    const std::size_t before = kept.size();
    for (std::string w; parts >> w;) kept.push_back(w);
    RC_ASSERT(DisplayWidth(line) <= width || kept.size() == before + 1);
  }
  RC_ASSERT(kept == words);
}

}  // namespace
}  // namespace assay
