// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/field_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace assay {
namespace {

using Pairs = std::vector<std::pair<std::string, double>>;

template <class Reader>
Pairs All(Reader reader) {
  Pairs out;
  while (const auto field = reader.Next()) out.emplace_back(field->name, field->value);
  return out;
}

TEST(FieldReader, ReadsWordsWhateverStandsBetween) {
  EXPECT_EQ(All(WordFieldReader("lr: 1.0e-3  loss=0.5, acc = 0.9 memory: 61.2GiB(77%) tps: 1,234")),
            (Pairs{{"lr", 1e-3}, {"loss", 0.5}, {"acc", 0.9}, {"memory", 61.2}, {"tps", 1234}}));
}

TEST(FieldReader, SkipsWhatIsNoNumber) {
  EXPECT_EQ(All(WordFieldReader("eta: 0:12:41  name: x  date: 2026-01-01  v: 1.2.3  hex: 0x1f  n: 3D  iter: 7")),
            (Pairs{{"iter", 7}}));
}

TEST(FieldReader, ReadsNamesOfSeveralWords) {
  EXPECT_EQ(All(DelimitedFieldReader(" lm loss: 2.2E+00 | grad norm: nan_ | global batch size:  64 |", "|")),
            (Pairs{{"lm loss", 2.2}, {"global batch size", 64}}));
  EXPECT_EQ(All(DelimitedFieldReader("train loss 2.5, val loss 2.25", ", ", DelimitedFieldReader::Between::kBlank)),
            (Pairs{{"train loss", 2.5}, {"val loss", 2.25}}));
}

TEST(FieldReader, TellsUnits) {
  EXPECT_EQ(ReadMeasuredNumber("20ms/step - x")->unit, "ms/step");
  EXPECT_EQ(ReadMeasuredNumber("61.2 GiB free")->unit, "GiB");
  EXPECT_EQ(ReadMeasuredNumber("61.2 Greek")->unit, "");
  EXPECT_EQ(ReadMeasuredNumber("38.2%")->unit, "%");
  EXPECT_TRUE(std::isnan(ReadMeasuredNumber("nan")->value));
  EXPECT_EQ(ReadMeasuredNumber("nan.0, x")->length, 5U);
  EXPECT_FALSE(ReadMeasuredNumber("").has_value());
}

TEST(FieldReader, ReadsPositions) {
  const auto position = ReadPositionOfTotal(" 12/ 100] x");
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->position, 12);
  EXPECT_EQ(position->total, 100);
  EXPECT_EQ(position->length, 8U);
  EXPECT_FALSE(ReadPositionOfTotal("12/?").has_value());
}

TEST(FieldReader, BearsLongTextsInLinearTime) {
  const std::string signs(1 << 20, '=');
  EXPECT_TRUE(All(WordFieldReader(signs)).empty());
  EXPECT_TRUE(All(DelimitedFieldReader(signs, "|")).empty());
}

TEST(WordFieldReader, FindsASignAtEachPlaceOfALine) {
  for (std::size_t length = 1; length < 30; ++length) {
    for (const char sign : {':', '='}) {
      const std::string name(length, 'n');
      const std::string line = name + sign + " 7 \xBA;<>9";
      WordFieldReader fields(line);
      const auto field = fields.Next();
      ASSERT_TRUE(field) << line;
      EXPECT_EQ(field->name, name);
      EXPECT_EQ(field->value, 7);
      EXPECT_FALSE(fields.Next());
    }
  }
}

}  // namespace
}  // namespace assay
