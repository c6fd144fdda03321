// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::ConcludeFromText;
using testing::Ids;

constexpr std::string_view kRule = "memory-plan";
constexpr std::string_view kOn40 =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB. GPU 0 has a total capacity of 39.39 GiB of which "
    "141.06 MiB is free. "
    "Including non-PyTorch memory, this process has 39.24 GiB memory in use. Of the allocated memory 38.31 GiB is allocated by "
    "PyTorch, and 228.94 MiB "
    "is reserved by PyTorch but unallocated.\n";

FactStore WithConfig(std::vector<ConfigValue> values, std::string_view log = kOn40) {
  FactStore facts = testing::ReadLogText(log);
  const SourceId source = facts.AddSource({.path = "config.yaml", .size = 100});
  for (ConfigValue& value : values) {
    value.cite = {.source = source, .begin = 0, .end = 10, .line = 1};
    facts.Add(std::move(value));
  }
  return facts;
}
std::string Concluded(std::vector<ConfigValue> values, std::string_view log = kOn40) {
  return Ids(Conclude(kRule, WithConfig(std::move(values), log)), kRule);
}

TEST(MemoryPlan, ASmallerDeviceThanTheJobAskedFor) {
  EXPECT_EQ(Concluded({{.key = "SBATCH.constraint", .value = "a100-80g", .origin = ConfigValue::Origin::kJobScript}}),
            "device-smaller-than-planned");
  EXPECT_EQ(Concluded({{.key = "SBATCH.gres", .value = "gpu:a100_80gb:2", .origin = ConfigValue::Origin::kJobScript}}),
            "device-smaller-than-planned");
}

TEST(MemoryPlan, TheDeviceThatWasAskedFor) {
  EXPECT_EQ(Concluded({{.key = "SBATCH.constraint", .value = "a100-40g", .origin = ConfigValue::Origin::kJobScript}}), "");
  EXPECT_EQ(Concluded({{.key = "SBATCH.gres", .value = "gpu:4", .origin = ConfigValue::Origin::kJobScript}}), "");
  EXPECT_EQ(Concluded({{.key = "SBATCH.gres", .value = "gpu:rtx3090:8", .origin = ConfigValue::Origin::kJobScript}}), "");
}

TEST(MemoryPlan, HostMemoryPerGpuIsNoSizeOfADevice) {
  EXPECT_EQ(Concluded({{.key = "SBATCH.mem-per-gpu", .value = "80G", .origin = ConfigValue::Origin::kJobScript}}), "");
}

TEST(MemoryPlan, ACapThatTheProgramSet) {
  EXPECT_EQ(
      Ids(ConcludeFromText(
              kRule,
              "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.00 MiB. GPU 0 has a total capacity of 7.78 GiB "
              "of which "
              "2.31 GiB is free. Including non-PyTorch memory, this process has 5.05 GiB memory in use. 4.00 GiB allowed; Of the "
              "allocated memory 3.81 GiB is allocated by PyTorch, and 60.02 MiB is reserved by PyTorch but unallocated.\n"),
          kRule),
      "device-smaller-than-planned");
}

TEST(MemoryPlan, ASaverThatTheArgumentsSwitchOff) {
  EXPECT_EQ(Concluded({{.key = "train.gradient_checkpointing", .value = "true", .origin = ConfigValue::Origin::kFile},
                       {.key = "gradient_checkpointing", .value = "False", .origin = ConfigValue::Origin::kArguments}}),
            "saver-expected-off");
}

TEST(MemoryPlan, AnOverrideOnPurposeIsThePlan) {
  EXPECT_EQ(Concluded({{.key = "train.gradient_checkpointing", .value = "true", .origin = ConfigValue::Origin::kFile},
                       {.key = "argv.gradient_checkpointing", .value = "false", .origin = ConfigValue::Origin::kJobScript},
                       {.key = "gradient_checkpointing", .value = "False", .origin = ConfigValue::Origin::kArguments}}),
            "");
  EXPECT_EQ(Concluded({{.key = "gradient_checkpointing", .value = "False", .origin = ConfigValue::Origin::kArguments}}), "");
}

TEST(MemoryPlan, NothingIsSaidOfARunThatDidNotRunOut) {
  EXPECT_EQ(Concluded({{.key = "SBATCH.constraint", .value = "a100-80g", .origin = ConfigValue::Origin::kJobScript}},
                      "step 1 loss 2.0\n"),
            "");
}

TEST(MemoryPlan, ScoresOfAttention) {
  const std::string text =
      "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape";
  const std::string where =
      " and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:MatMul]\n";
  EXPECT_EQ(Ids(ConcludeFromText(kRule, text + "[8,12,4096,4096]" + where), kRule), "attn-quadratic");
  // A square image with its channels first is none.
  EXPECT_EQ(Ids(ConcludeFromText(kRule, text + "[8,256,1024,1024]" + where), kRule), "");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, text + "[4096,4096]" + where), kRule), "");
}

}  // namespace
}  // namespace assay
