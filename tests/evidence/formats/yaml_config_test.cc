// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format yaml_config;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::yaml_config;

constexpr std::string_view kPath = "configs/train.yaml";
constexpr std::string_view kConfig =
    "# a comment\n"
    "model: {layers: 24, width: 1024}\n"
    "optimizer:\n"
    "  name: 'adam w'\n"
    "  lr: 2.0e-4   # found by a sweep\n"
    "  betas: [0.9, 0.999]\n"
    "heads:\n"
    "- pif\n"
    "- paf\n"
    "note: \"a\\tb\"\n"
    "empty:\n"
    "text: |\n  one\n  two\n"
    "last: 1\n";

TEST(YamlConfig, ReadsNestedValuesWithTheirPlaces) {
  const FactStore facts = ReadAs(yaml_config, kPath, kConfig);
  EXPECT_EQ(ConfigText(facts, "model.layers"), "24");
  EXPECT_EQ(ConfigText(facts, "optimizer.name"), "adam w");
  EXPECT_EQ(ConfigText(facts, "optimizer.lr"), "2.0e-4");
  EXPECT_EQ(ConfigText(facts, "optimizer.betas"), "[0.9, 0.999]");
  EXPECT_EQ(ConfigText(facts, "heads.1"), "paf");
  EXPECT_EQ(ConfigText(facts, "text"), "one\ntwo\n");
  EXPECT_EQ(ConfigText(facts, "note"), "a\tb");
  EXPECT_EQ(ConfigText(facts, "empty"), "null");
  const FactView view(facts);
  const Citation cite = view.Config("lr").at(0)->cite;
  EXPECT_EQ(kConfig.substr(cite.begin, cite.end - cite.begin), "2.0e-4");
  EXPECT_EQ(cite.line, 5U);
  const Citation name = view.Config("name").at(0)->cite;
  EXPECT_EQ(kConfig.substr(name.begin, name.end - name.begin), "'adam w'");
  EXPECT_TRUE(view.anomalies().empty());
}

TEST(YamlConfig, ReadsRealHparamsAndNeverBuildsTags) {
  const FactStore facts = ReadAs(yaml_config, "lightning_logs/version_0/hparams.yaml",
                                 Fixture("lightning/finished/lightning_logs/version_0/hparams.yaml"));
  EXPECT_EQ(ConfigText(facts, "betas.1"), "0.999");
  EXPECT_EQ(FactView(facts).All<ConfigValue>()[0].origin, ConfigValue::Origin::kMetadata);
  EXPECT_EQ(ConfigText(ReadAs(yaml_config, kPath, "a: !!python/object/apply:os.system ['ls']\nb: 1\n"), "a"), "[ls]");
}

TEST(YamlConfig, ReadsRealHydraFiles) {
  const std::string folder = "hydra/finished/outputs/2026-01-01/00-00-00/.hydra/";
  const FactStore facts = ReadAs(yaml_config, folder + "hydra.yaml", Fixture(folder + "hydra.yaml"));
  EXPECT_TRUE(FactView(facts).anomalies().empty());
  EXPECT_NE(ConfigText(facts, "hydra.job.name"), "(none)");
  EXPECT_EQ(ConfigText(ReadAs(yaml_config, folder + "overrides.yaml", Fixture(folder + "overrides.yaml")), "argv.trainer.lr"),
            "0.001");
}

TEST(YamlConfig, UnwrapsWandb) {
  const FactStore facts =
      ReadAs(yaml_config, "wandb/run-1/files/config.yaml",
             "wandb_version: 1\n\nlr:\n  desc: null\n  value: 0.1\nopt:\n  desc: null\n  value:\n    name: adam\n");
  EXPECT_EQ(ConfigText(facts, "lr"), "0.1");
  EXPECT_EQ(ConfigText(facts, "opt.name"), "adam");
  EXPECT_EQ(ConfigText(facts, "lr.desc"), "(none)");
  EXPECT_EQ(FactView(facts).Config("lr").at(0)->origin, ConfigValue::Origin::kMetadata);
}

TEST(YamlConfig, RepeatsAliasesAndMergesMaps) {
  const FactStore facts = ReadAs(
      yaml_config, kPath, "base: &base\n  lr: 0.1\n  opt: {name: adam}\na:\n  <<: *base\n  lr: 0.2\nb: *base\nc: &x 7\nd: *x\n");
  EXPECT_EQ(ConfigText(facts, "a.lr"), "0.2");
  EXPECT_EQ(ConfigText(facts, "a.opt.name"), "adam");
  EXPECT_EQ(ConfigText(facts, "b.opt.name"), "adam");
  EXPECT_EQ(ConfigText(facts, "d"), "7");
}

TEST(YamlConfig, ReadsCommandsAndVariablesOfJobs) {
  const FactStore facts = ReadAs(yaml_config, "jobs/run-7.yaml",
                                 "spec:\n"
                                 "  containers:\n"
                                 "  - name: main\n"
                                 "    command: [python, -u, train.py, --lr, '0.1', --api_key, abcd12345]\n"
                                 "    env:\n"
                                 "    - name: WANDB_API_KEY\n"
                                 "      value: abcd12345\n"
                                 "    - name: NCCL_DEBUG\n"
                                 "      value: INFO\n"
                                 "    resources: {limits: {memory: 64Gi, nvidia.com/gpu: 1}}\n");
  EXPECT_EQ(ConfigText(facts, "argv.lr"), "0.1");
  EXPECT_EQ(ConfigText(facts, "argv.api_key"), "(not recorded)");
  EXPECT_EQ(ConfigText(facts, "spec.containers.0.env.NCCL_DEBUG"), "INFO");
  EXPECT_EQ(ConfigText(facts, "spec.containers.0.env.WANDB_API_KEY"), "(not recorded)");
  EXPECT_EQ(ConfigText(facts, "spec.containers.0.resources.limits.memory"), "64Gi");
  for (const ConfigValue& v : FactView(facts).All<ConfigValue>())
    EXPECT_EQ(v.value.find("abcd12345"), std::string::npos) << v.key;
}

TEST(YamlConfig, SaysWhereItIsMalformed) {
  const FactStore facts = ReadAs(yaml_config, kPath, "a: 1\nb: [1, 2\nc: }\nd: 4\n");
  ASSERT_EQ(AnomalyCount(facts, AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.line, 3U);
  EXPECT_EQ(ConfigText(facts, "a"), "1");
}

TEST(YamlConfig, ACutFileGivesFewerFacts) {
  ExpectFactsShrink(yaml_config, kPath, kConfig);
  const FactStore facts = ReadAs(yaml_config, kPath, "a: 1\nlr: 0.00");
  EXPECT_EQ(ConfigText(facts, "a"), "1");
  EXPECT_EQ(ConfigText(facts, "lr"), "(none)");
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kTruncated), 1U);
}

TEST(YamlConfig, ClaimsYamlThatNoOtherFormatOwns) {
  ExpectOnlyClaim(yaml_config);
  EXPECT_EQ(Sniffed(yaml_config, "environment.yml", "name: x\ndependencies:\n- python=3.11\n"), Match::kNo);
  EXPECT_EQ(Sniffed(yaml_config, "a.yaml", "only words\n"), Match::kNo);
  EXPECT_EQ(Sniffed(yaml_config, "a.txt", "a: 1\n"), Match::kNo);
}

TEST(YamlConfig, BearsDamage) {
  FlipEverywhere(yaml_config, kPath, kConfig);
  EXPECT_EQ(AnomalyCount(ReadAs(yaml_config, kPath, ""), AnomalyKind::kEmpty), 1U);
  const FactStore odd = ReadAs(yaml_config, kPath, "a: x\xFFy\nb: 2\n");
  EXPECT_EQ(ConfigText(odd, "a"), "x?y");
  EXPECT_EQ(AnomalyCount(odd, AnomalyKind::kBadEncoding), 1U);
  const std::string_view marked =
      "\xEF\xBB\xBF"
      "a: 1\n";
  const FactStore facts = ReadAs(yaml_config, kPath, marked);
  const Citation cite = FactView(facts).Config("a").at(0)->cite;
  EXPECT_EQ(marked.substr(cite.begin, cite.end - cite.begin), "1");
}

TEST(YamlConfig, BearsBombsAndNesting) {
  std::string bomb = "a0: &a0 [x, {k: v}]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {p: " + before + ", q: " + before + ", r: " + before + "}\n";
  }
  const FactStore facts = ReadAs(yaml_config, kPath, bomb);
  EXPECT_LE(FactView(facts).All<ConfigValue>().size(), 20000U);
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kOverlong), 1U);
  for (const char open : {'[', '{'}) {
    EXPECT_EQ(AnomalyCount(ReadAs(yaml_config, kPath, "a: " + std::string(20000, open)), AnomalyKind::kOverlong), 1U);
  }
  std::string block;
  for (int i = 0; i < 3000; ++i) block += "- ";
  EXPECT_EQ(AnomalyCount(ReadAs(yaml_config, kPath, block + "x\n"), AnomalyKind::kOverlong), 1U);
}

}  // namespace
}  // namespace assay
