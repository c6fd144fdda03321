// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/config_flattener.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// "key=value" of every entry, joined by "; ".
std::string Flat(std::string_view text) {
  JsonReader json(text, 0, 1);
  ConfigFlattener flat;
  FlattenNext(json, flat);
  std::string out;
  for (const ConfigEntry& e : flat.entries()) out += (out.empty() ? "" : "; ") + e.key + "=" + e.value;
  return out;
}

TEST(ConfigFlattener, JoinsKeysAndKeepsPlainListsWhole) {
  EXPECT_EQ(Flat(R"({"a": {"b": 1, "c": "x"}, "betas": [0.9, 0.999], "e": [], "f": {}, "n": null})"),
            "a.b=1; a.c=x; betas=[0.9, 0.999]; e=[]; f={}; n=null");
  EXPECT_EQ(Flat(R"({"l": [1, {"w": 2}, [3, 4]]})"), "l.0=1; l.1.w=2; l.2=[3, 4]");
}

TEST(ConfigFlattener, NamesTheVariablesOfJobFiles) {
  EXPECT_EQ(Flat(R"({"env": [{"name": "A", "value": "1"}, {"name": "B", "from": "x"}]})"), "env.A=1; env.1.name=B; env.1.from=x");
}

TEST(ConfigFlattener, AnUnfinishedListIsNoValue) {
  EXPECT_EQ(Flat(R"({"a": 1, "l": [0.9, 0.99)"), "a=1");
  EXPECT_EQ(Flat(R"({"a": {"b": 1, "c": )"), "a.b=1");
}

TEST(ConfigFlattener, BoundsWhatItKeeps) {
  std::string text = "{";
  for (int i = 0; i < 30000; ++i) text += "\"k" + std::to_string(i) + "\": 1,";
  text += "\"z\": [";
  JsonReader json(text, 0, 1);
  ConfigFlattener flat;
  FlattenNext(json, flat);
  EXPECT_EQ(flat.entries().size(), ConfigFlattener::kMaxEntries);
  ASSERT_TRUE(flat.overflow().has_value());
  EXPECT_GT(flat.overflow()->begin, 0U);
  EXPECT_EQ(Flat("{\"a\": \"" + std::string(9000, 'x') + "\"}").size(), 2 + ConfigFlattener::kMaxValueBytes + 3);
}

TEST(ConfigFlattener, ShortensLongLists) {
  std::string text = "{\"a\": [0";
  for (int i = 1; i < 1000; ++i) text += ", " + std::to_string(i);
  const std::string flat = Flat(text + "]}");
  EXPECT_TRUE(flat.starts_with("a=[0, 1, 2, "));
  EXPECT_TRUE(flat.ends_with("63, … 1000 items]"));
}

TEST(ConfigFlattener, KnowsWhatTheRunWroteItself) {
  EXPECT_EQ(OriginOfConfigFile("out/hparams.yaml"), ConfigValue::Origin::kMetadata);
  EXPECT_EQ(OriginOfConfigFile("outputs/x/.hydra/config.yaml"), ConfigValue::Origin::kMetadata);
  EXPECT_EQ(OriginOfConfigFile("configs/train.yaml"), ConfigValue::Origin::kFile);
}

TEST(ConfigFlattener, PushesWithoutCredentials) {
  JsonReader json(R"({"hub_token": "abc", "lr": 0.1})", 0, 1);
  ConfigFlattener flat;
  FlattenNext(json, flat);
  FactStore facts;
  PushConfig(flat, "args.", ConfigValue::Origin::kArguments, kNoSource, facts);
  const auto values = FactView(facts).All<ConfigValue>();
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].key, "args.hub_token");
  EXPECT_EQ(values[0].value, "(not recorded)");
  EXPECT_EQ(values[1].value, "0.1");
  EXPECT_EQ(values[1].cite.begin, 27U);
}

}  // namespace
}  // namespace assay
