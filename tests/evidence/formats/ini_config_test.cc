// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format ini_config;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::ini_config;

constexpr std::string_view kPath = "config.ini";
constexpr std::string_view kSample = "configparser/training.ini";

TEST(IniConfig, ReadsValuesWithTheirLines) {
  const std::string bytes = Fixture(kSample);
  const FactStore facts = ReadAs(ini_config, kPath, bytes);
  EXPECT_EQ(ConfigText(facts, "word2vec.size"), "100");
  EXPECT_EQ(ConfigText(facts, "word2vec.window"), "5");
  EXPECT_EQ(ConfigText(facts, "corpus.path"), "data/wiki.txt");
  const Citation cite = FactView(facts).Config("seed").at(0)->cite;
  EXPECT_EQ(bytes.substr(cite.begin, cite.end - cite.begin), "42");
  EXPECT_EQ(cite.line, 5U);
  EXPECT_TRUE(FactView(facts).anomalies().empty());
}

TEST(IniConfig, IsClaimedByThisFormatAlone) {
  ExpectOnlyClaim(ini_config);
  EXPECT_EQ(Sniffed(ini_config, "setup.cfg", "[metadata]\n"), Match::kNo);
  EXPECT_EQ(Sniffed(ini_config, "notes.ini", "only words\n"), Match::kNo);
}

TEST(IniConfig, ValuesWithoutASectionAndContinuationLines) {
  const FactStore facts = ReadAs(ini_config, kPath, "lr = 0.1\nlayers = 1\n  2\n  3\n[a]\nb=c=d\n");
  EXPECT_EQ(ConfigText(facts, "lr"), "0.1");
  EXPECT_EQ(ConfigText(facts, "layers"), "1");
  EXPECT_EQ(ConfigText(facts, "a.b"), "c=d");
}

TEST(IniConfig, ACutFileGivesFewerFacts) {
  ExpectFactsShrink(ini_config, kPath, Fixture(kSample));
  const FactStore facts = ReadAs(ini_config, kPath, "a = 1\nlr = 5");
  EXPECT_EQ(ConfigText(facts, "lr"), "(none)");
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kTruncated), 1U);
}

TEST(IniConfig, BearsDamageAndHostileInput) {
  FlipEverywhere(ini_config, kPath, Fixture(kSample));
  ReadAs(ini_config, kPath, std::string(100000, '[') + "\n");
  ReadAs(ini_config, kPath, "[" + std::string(100000, 'a') + "]\nb = " + std::string(100000, 'c') + "\n");
  EXPECT_EQ(FactView(ReadAs(ini_config, kPath, "[a]\ntoken = x\n")).All<ConfigValue>()[0].value, "(not recorded)");
}

}  // namespace
}  // namespace assay
