// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;
using testing::ReadLogText;

constexpr std::string_view kRule = "precision";

SourceId Configure(FactStore& store, std::string_view path, std::string_view key, std::string_view value) {
  const SourceId source = store.AddSource({.path = std::string(path)});
  store.Add(ConfigValue{.key = std::string(key), .value = std::string(value), .cite = {.source = source, .begin = 0, .end = 4}});
  return source;
}

TEST(Precision, Fp16Settings) {
  for (const auto& [key, value] :
       {std::pair{"fp16", "true"}, std::pair{"trainer.precision", "16-mixed"}, std::pair{"mixed_precision", "fp16"},
        std::pair{"dtype", "float16"}, std::pair{"fp16.enabled", "True"}, std::pair{"precision", "16"}}) {
    FactStore store;
    Configure(store, "a.yaml", key, value);
    EXPECT_EQ(Ids(Conclude(kRule, store), kRule), "fp16-in-use") << key;
  }
  for (const auto& [key, value] :
       {std::pair{"fp16", "false"}, std::pair{"trainer.precision", "bf16-mixed"}, std::pair{"amp", "true"},
        std::pair{"bnb_4bit_compute_dtype", "float16"}, std::pair{"precision", "32"}, std::pair{"bf16", "true"}}) {
    FactStore store;
    Configure(store, "a.yaml", key, value);
    EXPECT_EQ(Ids(Conclude(kRule, store), kRule), "") << key;
  }
}

TEST(Precision, BaseModelInBf16) {
  FactStore store = ReadLogText(
      "[2026-01-09 10:11:12,113] [INFO] [logging.py:96:log_dist] [Rank 0] Creating torch.float16 ZeRO stage 2 optimizer\n");
  Configure(store, "base/config.json", "torch_dtype", "bfloat16");
  EXPECT_FALSE(Conclude(kRule, store).Has("bf16-base-in-fp16"));  // not known to be a model's config
  Configure(store, "base/config.json", "model_type", "llama");
  EXPECT_TRUE(Conclude(kRule, store).Has("bf16-base-in-fp16"));
}

TEST(Precision, TheFileAsksForTheOtherType) {
  FactStore store = ReadLogText(
      "[2026-01-09 10:11:12,113] [INFO] [logging.py:96:log_dist] [Rank 0] Creating torch.float16 ZeRO stage 2 optimizer\n");
  Configure(store, "ds.json", "bf16.enabled", "true");
  EXPECT_TRUE(Conclude(kRule, store).Has("config-not-effective"));
}

}  // namespace
}  // namespace assay
