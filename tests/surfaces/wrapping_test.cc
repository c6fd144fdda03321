// SPDX-License-Identifier: Apache-2.0
#include "surfaces/wrapping.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace assay
