// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format json_config;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::json_config;

TEST(JsonConfig, ReadsARealModelConfig) {
  const std::string bytes = Fixture("hf_trainer/finished/outputs/config.json");
  const FactStore facts = ReadAs(json_config, "outputs/config.json", bytes);
  EXPECT_EQ(ConfigText(facts, "layer_norm_epsilon"), "1e-05");
  EXPECT_EQ(ConfigText(facts, "architectures"), "[Model]");
  EXPECT_EQ(ConfigText(facts, "n_inner"), "null");
  const ConfigValue& first = FactView(facts).All<ConfigValue>()[0];
  EXPECT_EQ(first.key, "activation_function");
  EXPECT_EQ(bytes.substr(first.cite.begin, first.cite.end - first.cite.begin), "\"gelu_new\"");
  EXPECT_EQ(first.cite.line, 2U);
  EXPECT_EQ(first.origin, ConfigValue::Origin::kFile);
  EXPECT_TRUE(FactView(facts).tables().empty());
  EXPECT_TRUE(FactView(facts).anomalies().empty());
}

TEST(JsonConfig, ResultsAreMetricsAndNoConfiguration) {
  const FactStore facts =
      ReadAs(json_config, "outputs/all_results.json", Fixture("hf_trainer/nan_shown/outputs/all_results.json"));
  const FactView view(facts);
  ASSERT_EQ(view.tables().size(), 1U);
  EXPECT_TRUE(std::isnan(ColumnValues(view, "train_loss").front()));
  EXPECT_EQ(view.tables().front().row(0).epoch, 4.0);
  EXPECT_EQ(ConfigText(facts, "train_loss"), "(none)");
  const FactStore summary = ReadAs(
      json_config, "wandb/run/files/wandb-summary.json",
      R"({"_step": 99, "_timestamp": 1700000000.5, "train/learning_rate": 0, "val": {"loss": 0.5}, "_wandb": {"runtime": 7}})");
  EXPECT_EQ(FactView(summary).tables().front().row(0).step, 99);
  EXPECT_EQ(ColumnValues(FactView(summary), "val.loss"), (std::vector<double>{0.5}));
  EXPECT_TRUE(FactView(summary).Config("learning_rate").empty());
}

TEST(JsonConfig, ReadsTheArgumentsOfWandbMetadata) {
  const FactStore facts =
      ReadAs(json_config, "wandb/run-1/files/wandb-metadata.json",
             R"({"os": "Linux", "args": ["--lr", "0.1", "--fp16", "--hub_token", "abcd1234"], "git": {"commit": "abc"}})");
  EXPECT_EQ(ConfigText(facts, "git.commit"), "abc");
  EXPECT_EQ(ConfigText(facts, "argv.lr"), "0.1");
  EXPECT_EQ(ConfigText(facts, "argv.fp16"), "");
  EXPECT_EQ(ConfigText(facts, "argv.hub_token"), "(not recorded)");
  EXPECT_EQ(ConfigText(facts, "args").find("abcd1234"), std::string::npos);
  const FactView view(facts);
  const auto lr = view.Config("lr");
  ASSERT_EQ(lr.size(), 1U);
  EXPECT_EQ(lr[0]->origin, ConfigValue::Origin::kArguments);
}

TEST(JsonConfig, IsClaimedByThisFormatAlone) {
  ExpectOnlyClaim(json_config);
  EXPECT_EQ(Sniffed(json_config, "configs/x.json", "{\n \"a\": 1}"), Match::kYes);
  EXPECT_EQ(Sniffed(json_config, "data/x.json", "{\n \"a\": 1}"), Match::kMaybe);
  EXPECT_EQ(Sniffed(json_config, "data/x.json", "[1]"), Match::kNo);
  EXPECT_EQ(Sniffed(json_config, "model/tokenizer.json", "{\n \"a\": 1}"), Match::kNo);
  EXPECT_EQ(Sniffed(json_config, "config.json", "{'a': 1}"), Match::kNo);
  EXPECT_EQ(Sniffed(json_config, "trace.json", "{\"traceEvents\": ["), Match::kNo);
}

TEST(JsonConfig, ACutFileGivesFewerFacts) {
  ExpectFactsShrink(json_config, "outputs/config.json", Fixture("hf_trainer/finished/outputs/config.json"));
  const FactStore facts = ReadAs(json_config, "config.json", R"({"a": 1, "b": 0.00)");
  EXPECT_EQ(ConfigText(facts, "a"), "1");
  EXPECT_EQ(ConfigText(facts, "b"), "(none)");
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kTruncated), 1U);
}

TEST(JsonConfig, SaysWhereItIsMalformed) {
  const FactStore facts = ReadAs(json_config, "config.json", "{\"a\": 1,\n \"b\" 2}");
  ASSERT_EQ(AnomalyCount(facts, AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.begin, 14U);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.line, 2U);
  EXPECT_EQ(ConfigText(facts, "a"), "1");
}

TEST(JsonConfig, BearsDamageAndHostileInput) {
  FlipEverywhere(json_config, "outputs/config.json", Fixture("hf_trainer/finished/outputs/config.json"));
  EXPECT_EQ(AnomalyCount(ReadAs(json_config, "config.json", ""), AnomalyKind::kEmpty), 1U);
  EXPECT_EQ(AnomalyCount(ReadAs(json_config, "config.json", "[]"), AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(AnomalyCount(ReadAs(json_config, "config.json", "{\"a\":" + std::string(200000, '[')), AnomalyKind::kOverlong), 1U);
  std::string many = "{";
  for (int i = 0; i < 200000; ++i) many += "\"k" + std::to_string(i) + "\": 1,";
  const FactStore facts = ReadAs(json_config, "config.json", many);
  EXPECT_LE(FactView(facts).All<ConfigValue>().size(), 20000U);
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kOverlong), 1U);
}

}  // namespace
}  // namespace assay
