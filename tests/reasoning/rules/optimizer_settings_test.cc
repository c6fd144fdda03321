// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;

constexpr std::string_view kRule = "optimizer-settings";

std::string With(std::string_view key, std::string_view value) {
  FactStore store;
  const SourceId source = store.AddSource({.path = "a.yaml"});
  store.Add(ConfigValue{.key = std::string(key), .value = std::string(value), .cite = {.source = source, .begin = 0, .end = 4}});
  return Ids(Conclude(kRule, store), kRule);
}

TEST(OptimizerSettings, OddOptimizers) {
  EXPECT_EQ(With("optimizer.name", "dion"), "odd-optimizer");
  EXPECT_EQ(With("optimizer", "Muon"), "odd-optimizer");
  EXPECT_EQ(With("optimizer.use_gram_newton_schulz", "true"), "odd-optimizer");
  EXPECT_EQ(With("adam_epsilon", "0"), "odd-optimizer");
  EXPECT_EQ(With("optimizer", "AdamW"), "");
  EXPECT_EQ(With("adam_epsilon", "1e-8"), "");
  EXPECT_EQ(With("layer_norm_eps", "0"), "");
  EXPECT_EQ(With("model.name", "soap-bubbles"), "");
}

TEST(OptimizerSettings, Clipping) {
  EXPECT_EQ(With("grad_clip", "0.0"), "clip-absent");
  EXPECT_EQ(With("trainer.gradient_clip_val", "null"), "clip-absent");
  EXPECT_EQ(With("max_grad_norm", "1.0"), "clip-active");
  EXPECT_TRUE(testing::IsNotChecked(testing::ConcludeFromText(kRule, "step 1 loss 2.0\nstep 2 loss nan\n"), "clip-active"));
  EXPECT_FALSE(testing::IsNotChecked(testing::ConcludeFromText(kRule, "step 1 loss 2.0\nstep 2 loss 1.9\n"), "clip-active"));
}

TEST(OptimizerSettings, Kernels) {
  EXPECT_EQ(With("torch_compile", "true"), "compile-or-custom-kernel");
  EXPECT_EQ(With("attn_implementation", "flash_attention_2"), "compile-or-custom-kernel");
  EXPECT_EQ(With("attn_implementation", "eager"), "");
  EXPECT_EQ(With("compile", "false"), "");
}

}  // namespace
}  // namespace assay
