// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format toml_config;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::toml_config;

constexpr std::string_view kPath = "train_configs/llama_pp.toml";

TEST(TomlConfig, ReadsValuesWithTheirLines) {
  const std::string bytes = Fixture("torchtitan/config/llama_pp.toml");
  const FactStore facts = ReadAs(toml_config, kPath, bytes);
  EXPECT_EQ(ConfigText(facts, "job.description"), "llama small, pipeline");
  EXPECT_EQ(ConfigText(facts, "training.steps"), "1000");
  EXPECT_EQ(ConfigText(facts, "optimizer.betas"), "[0.9, 0.95]");
  EXPECT_EQ(ConfigText(facts, "optimizer.lr"), "5.4e-5");
  const Citation cite = FactView(facts).Config("lr").at(0)->cite;
  EXPECT_EQ(bytes.substr(cite.begin, cite.end - cite.begin), "5.4e-5");
  EXPECT_EQ(cite.line, 15U);
  EXPECT_TRUE(FactView(facts).anomalies().empty());
}

TEST(TomlConfig, ReadsEveryShapeOfTheLanguage) {
  const FactStore facts = ReadAs(toml_config, kPath,
                                 "\"q k\".'x' = 'it\\s'   # note\n"
                                 "a.b = { c = 1, d = [true, \"z\"] }\n"
                                 "long = \"\"\"\none\ntwo\"\"\"\n"
                                 "many = [\n 1, # one\n 2,\n]\n"
                                 "when = 2026-01-01 12:00:00\n"
                                 "[[layer]]\nwidth = 8\n[layer.act]\nname = \"relu\"\n[[layer]]\nwidth = 16\n");
  EXPECT_EQ(ConfigText(facts, "q k.x"), "it\\s");
  EXPECT_EQ(ConfigText(facts, "a.b.c"), "1");
  EXPECT_EQ(ConfigText(facts, "a.b.d"), "[true, z]");
  EXPECT_EQ(ConfigText(facts, "long"), "one\ntwo");
  EXPECT_EQ(ConfigText(facts, "many"), "[1, 2]");
  EXPECT_EQ(ConfigText(facts, "when"), "2026-01-01 12:00:00");
  EXPECT_EQ(ConfigText(facts, "layer.0.width"), "8");
  EXPECT_EQ(ConfigText(facts, "layer.0.act.name"), "relu");
  EXPECT_EQ(ConfigText(facts, "layer.1.width"), "16");
  EXPECT_TRUE(FactView(facts).anomalies().empty());
}

TEST(TomlConfig, IsClaimedByThisFormatAlone) {
  ExpectOnlyClaim(toml_config);
  EXPECT_EQ(Sniffed(toml_config, "pyproject.toml", "[project]\n"), Match::kNo);
}

TEST(TomlConfig, ACutFileGivesFewerFacts) {
  ExpectFactsShrink(toml_config, kPath, Fixture("torchtitan/config/llama_pp.toml"));
  const FactStore facts = ReadAs(toml_config, kPath, "a = 1\nlr = 5");
  EXPECT_EQ(ConfigText(facts, "a"), "1");
  EXPECT_EQ(ConfigText(facts, "lr"), "(none)");
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kTruncated), 1U);
}

TEST(TomlConfig, KeepsWhatStandsBeforeAnError) {
  const FactStore facts = ReadAs(toml_config, kPath, "a = 1\nb = = 2\nc = 3\n");
  EXPECT_EQ(ConfigText(facts, "a"), "1");
  ASSERT_EQ(AnomalyCount(facts, AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.line, 2U);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.begin, 6U);
  EXPECT_EQ(ConfigText(facts, "c"), "3");
}

TEST(TomlConfig, BearsDamageAndHostileInput) {
  FlipEverywhere(toml_config, kPath, Fixture("torchtitan/config/llama_pp.toml"));
  EXPECT_EQ(AnomalyCount(ReadAs(toml_config, kPath, ""), AnomalyKind::kEmpty), 1U);
  EXPECT_EQ(FactView(ReadAs(toml_config, kPath, "a = " + std::string(100000, '['))).anomalies().size(), 1U);
  std::string dotted = "a";
  for (int i = 0; i < 3000; ++i) dotted += ".a";
  ReadAs(toml_config, kPath, dotted + " = 1\n");
  EXPECT_EQ(FactView(ReadAs(toml_config, kPath, "secret = \"x\"\n")).All<ConfigValue>()[0].value, "(not recorded)");
}

}  // namespace
}  // namespace assay
