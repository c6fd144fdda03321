// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/line_reader.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

struct Lines {
  std::vector<std::string> texts;
  std::vector<TextLine> lines;  // their texts are gone
  std::uint64_t size = 0;
};
Lines ReadLines(const std::string& bytes) {
  MemoryFileSystem files;
  files.Add("/f", bytes);
  const auto file = files.Open("/f");
  const auto stream = OpenStream(**file);
  LineReader reader(*stream);
  Lines out;
  while (const auto line = reader.Next()) {
    out.texts.emplace_back(line->text);
    out.lines.push_back(*line);
  }
  out.size = reader.size();
  return out;
}

TEST(LineReader, GivesLinesWithTheirPlaces) {
  const Lines got = ReadLines("\xEF\xBB\xBFone\r\n\ntwo");
  EXPECT_EQ(got.texts, (std::vector<std::string>{"one", "", "two"}));
  EXPECT_EQ(got.lines[0].begin, 3U);
  EXPECT_EQ(got.lines[0].end, 6U);
  EXPECT_EQ(got.lines[2].begin, 9U);
  EXPECT_EQ(got.lines[2].number, 3U);
  EXPECT_TRUE(got.lines[1].complete);
  EXPECT_FALSE(got.lines[2].complete);
  EXPECT_EQ(got.size, 12U);
  EXPECT_TRUE(ReadLines("").texts.empty());
}

TEST(LineReader, CrossesWindows) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "line " + std::to_string(i) + "\n";
  const Lines got = ReadLines(text);
  ASSERT_EQ(got.texts.size(), 50000U);
  EXPECT_EQ(got.texts[49999], "line 49999");
  EXPECT_EQ(got.lines[49999].end, text.size() - 1);
}

TEST(LineReader, HandsOutTheBeginningOfAnOverlongLine) {
  const std::string text = "a\n" + std::string(3 << 20, 'x') + "\nb\n";
  const Lines got = ReadLines(text);
  ASSERT_EQ(got.texts.size(), 3U);
  EXPECT_TRUE(got.lines[1].overlong);
  EXPECT_LE(got.texts[1].size(), (std::size_t{1} << 20U) + 1);
  EXPECT_EQ(got.texts[2], "b");
  EXPECT_EQ(got.lines[2].begin, text.size() - 2);
  EXPECT_EQ(got.lines[2].number, 3U);
  EXPECT_EQ(ReadLines(std::string(3 << 20, 'x')).texts.size(), 1U);
}

TEST(LineDamage, CountsRuinedLinesInsteadOfRepeatingThem) {
  FactStore facts;
  LineDamage damage("the file", kNoSource, facts);
  for (std::uint64_t i = 0; i < 100; ++i) damage.BadLine({.text = "x", .begin = i, .end = i + 1, .number = i + 1}, "it is odd");
  MemoryFileSystem files;
  files.Add("/f", "x");
  const auto file = files.Open("/f");
  const auto stream = OpenStream(**file);
  LineReader reader(*stream);
  while (reader.Next()) {
  }
  damage.Finish(reader);
  const auto anomalies = FactView(facts).anomalies();
  ASSERT_EQ(anomalies.size(), 9U);
  EXPECT_EQ(anomalies[8].bytes_lost, 92U);
}

}  // namespace
}  // namespace assay
