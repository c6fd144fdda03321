// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/whole_text.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

WholeText ReadText(const std::string& bytes, std::size_t cap, FactStore& facts) {
  MemoryFileSystem files;
  files.Add("/f", bytes);
  const auto file = files.Open("/f");
  return ReadWholeText(**file, kNoSource, "the file", cap, facts);
}

TEST(WholeText, MakesTextOfWhateverThereIs) {
  FactStore facts;
  const WholeText whole = ReadText(std::string("\xEF\xBB\xBF"
                                               "a\0b\xC3\xA9\xFF\n",
                                               10),
                                   100, facts);
  EXPECT_EQ(whole.text, "a?b\xC3\xA9?\n");
  EXPECT_EQ(whole.base, 3U);
  ASSERT_EQ(FactView(facts).anomalies().size(), 1U);
  EXPECT_EQ(FactView(facts).anomalies()[0].kind, AnomalyKind::kBadEncoding);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.begin, 4U);
}

TEST(WholeText, KeepsWholeLinesOfAFileThatIsTooLong) {
  FactStore facts;
  const WholeText whole = ReadText("one\ntwo\nthree\n", 10, facts);
  EXPECT_EQ(whole.text, "one\ntwo\n");
  EXPECT_FALSE(whole.whole);
  EXPECT_EQ(FactView(facts).anomalies()[0].kind, AnomalyKind::kOverlong);
}

TEST(WholeText, SaysThatAFileIsEmpty) {
  FactStore facts;
  EXPECT_TRUE(ReadText("", 10, facts).text.empty());
  EXPECT_EQ(FactView(facts).anomalies()[0].kind, AnomalyKind::kEmpty);
}

}  // namespace
}  // namespace assay
