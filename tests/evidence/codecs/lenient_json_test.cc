// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/lenient_json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

// The kinds and texts of all tokens, as one line.
std::string Tokens(std::string_view text) {
  JsonReader json(text, 0, 1);
  std::string out;
  for (;;) {
    const JsonToken token = json.Next();
    switch (token.kind) {
      case JsonKind::kBeginObject: out += "{ "; break;
      case JsonKind::kEndObject: out += "} "; break;
      case JsonKind::kBeginArray: out += "[ "; break;
      case JsonKind::kEndArray: out += "] "; break;
      case JsonKind::kKey: out += std::string(token.text) + ": "; break;
      case JsonKind::kString: out += "'" + std::string(token.text) + "' "; break;
      case JsonKind::kNumber:
      case JsonKind::kBool:
      case JsonKind::kNull: out += std::string(token.text) + " "; break;
      case JsonKind::kEnd: return out + "end";
      case JsonKind::kFailed:
        return out + (json.failure() == JsonReader::Failure::kTruncated ? "cut@" : "bad@") +
               std::to_string(json.failure_offset());
    }
  }
}

std::string Stream(const std::string& text, std::uint64_t* failure_offset = nullptr) {
  MemoryFileSystem files;
  files.Add("/f", text);
  const auto file = files.Open("/f");
  const auto stream = OpenStream(**file);
  JsonReader json(*stream);
  std::string last;
  for (JsonToken token = json.Next(); token.kind != JsonKind::kEnd && token.kind != JsonKind::kFailed; token = json.Next()) {
    if (token.kind == JsonKind::kKey) last = token.text;
  }
  if (failure_offset != nullptr) *failure_offset = json.failure_offset();
  return last;
}

TEST(LenientJson, ReadsAllKindsOfValues) {
  EXPECT_EQ(Tokens(R"({"a": 1.5e-3, "b": [true, null, "x"], "c": {}, "d": []} )"),
            "{ a: 1.5e-3 b: [ true null 'x' ] c: { } d: [ ] } end");
  EXPECT_EQ(Tokens("{\"a\": NaN, \"b\": -Infinity,\"c\":Infinity}"), "{ a: NaN b: -Infinity c: Infinity } end");
}

TEST(LenientJson, NumbersThatAreNoneAreNumbers) {
  JsonReader json("[NaN, -Infinity]", 0, 1);
  json.Next();
  EXPECT_TRUE(std::isnan(json.Next().number));
  EXPECT_EQ(json.Next().number, -HUGE_VAL);
}

TEST(LenientJson, DecodesEscapes) {
  EXPECT_EQ(Tokens(R"(["\u00e9\n\"\\\ud83d\ude00"])"), "[ '\u00e9\n\"\\\U0001F600' ] end");
  EXPECT_EQ(Tokens(R"(["\ud83dx"])"), "[ '\uFFFDx' ] end");
  EXPECT_EQ(Tokens(R"(["\ud83d\n"])"), "[ '\uFFFD\n' ] end");
  EXPECT_EQ(Tokens(R"(["\q"])"), "[ bad@4");
}

TEST(LenientJson, TellsCutFromMalformedWithThePlace) {
  EXPECT_EQ(Tokens(R"({"a": 12)"), "{ a: cut@6");
  EXPECT_EQ(Tokens(R"({"a": tru)"), "{ a: cut@6");
  EXPECT_EQ(Tokens(R"({"a": "x)"), "{ a: cut@8");
  EXPECT_EQ(Tokens(R"({"a")"), "{ cut@4");
  EXPECT_EQ(Tokens(""), "cut@0");
  EXPECT_EQ(Tokens(R"({"a": 1 "b": 2})"), "{ a: 1 bad@8");
  EXPECT_EQ(Tokens(R"({"a": nul})"), "{ a: bad@6");
  EXPECT_EQ(Tokens(R"([1,])"), "[ 1 bad@3");
  EXPECT_EQ(Tokens("{} x"), "{ } bad@3");
  EXPECT_EQ(Tokens("{\"a\": \"x\ny\"}"), "{ a: bad@8");
}

TEST(LenientJson, SkipsValues) {
  JsonReader json(R"([{"a": [1, {"b": 2}]}, 7])", 0, 1);
  json.Next();
  EXPECT_TRUE(json.SkipValue());
  EXPECT_EQ(json.Next().text, "7");
  EXPECT_FALSE(json.SkipValue());
}

TEST(LenientJson, WalksManyWindowsAndCountsLines) {
  std::string text = "{\n";
  for (int i = 0; i < 40000; ++i) text += "\"key" + std::to_string(i) + "\": \"value\",\n";
  text += "\"last\": 1}";
  EXPECT_EQ(Stream(text), "last");
  text += "]";
  std::uint64_t offset = 0;
  Stream(text, &offset);
  EXPECT_EQ(offset, text.size() - 1);
}

TEST(LenientJson, BoundsNestingAndStrings) {
  const std::string brackets(1000, '[');
  JsonReader deep(brackets, 0, 1, {.depth = 10});
  while (deep.Next().kind == JsonKind::kBeginArray) {
  }
  EXPECT_EQ(deep.failure(), JsonReader::Failure::kTooDeep);
  EXPECT_EQ(deep.failure_offset(), 10U);
  const std::string long_string = "[\"" + std::string(1000, 'x') + "\"]";
  JsonReader json(long_string, 0, 1, {.string_bytes = 16});
  json.Next();
  const JsonToken token = json.Next();
  EXPECT_TRUE(token.shortened);
  EXPECT_EQ(token.text.size(), 16U);
  EXPECT_EQ(token.end, 1003U);
  EXPECT_EQ(json.Next().kind, JsonKind::kEndArray);
}

}  // namespace
}  // namespace assay
