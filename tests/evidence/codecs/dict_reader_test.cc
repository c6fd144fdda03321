// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/dict_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

TEST(DictReader, ReadsReprAndJson) {
  DictReader dict("x {'a': 1.5, \"b\": \"2\", 'c': None, 'd': [1, 2], 'e': tensor(0.5, device='cuda:0'), 'f': 'it\\'s'} y");
  EXPECT_EQ(dict.before(), "x ");
  EXPECT_EQ(dict.Next()->number, 1.5);
  const auto quoted = dict.Next();
  EXPECT_TRUE(quoted->quoted);
  EXPECT_EQ(quoted->number, 2);
  EXPECT_FALSE(dict.Next()->number.has_value());
  EXPECT_EQ(dict.Next()->value, "[1, 2]");
  EXPECT_EQ(dict.Next()->number, 0.5);
  EXPECT_EQ(dict.Next()->value, "it\\'s");
  EXPECT_FALSE(dict.Next().has_value());
  EXPECT_TRUE(dict.closed());
}

TEST(DictReader, ANumberThatNothingEndsIsNoValue) {
  DictReader dict("{'a': 1, 'b': 2");
  EXPECT_EQ(dict.Next()->number, 1);
  EXPECT_FALSE(dict.Next().has_value());
  EXPECT_FALSE(dict.closed());
}

TEST(DictReader, BearsEveryCut) {
  const std::string text = "{'a': {'b': [1, {'c': 'd'}]}, 'e': tensor(1.0)}";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    DictReader dict(std::string_view(text).substr(0, n));
    int entries = 0;
    while (dict.Next()) ++entries;
    EXPECT_LE(entries, 2);
  }
}

}  // namespace
}  // namespace assay
