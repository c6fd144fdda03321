// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::AddConfig;
using testing::AddReading;
using testing::Conclude;
using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;
using testing::ReadLogText;

TEST(DeviceUse, FindsARunOnTheCpu) {
  EXPECT_EQ(Ids(ConcludeFromText("device-use", "Using device: cpu\nstep 1 loss 2.0\n"), "device-use"),
            "cpu-only-run gpu-never-used");
  EXPECT_EQ(Ids(ConcludeFromText("device-use", "GPU available: False, used: False\n"), "device-use"),
            "cpu-only-run gpu-never-used");
  EXPECT_EQ(Ids(ConcludeFromText("device-use", "    PyTorch: 2.1.0+cpu\n"), "device-use"), "cpu-only-run gpu-never-used");
}

TEST(DeviceUse, FindsThatADeviceWasAskedFor) {
  FactStore facts = ReadLogText("Using device: cpu\n");
  AddConfig(facts, "SBATCH.gres", "gpu:a100:1", ConfigValue::Origin::kJobScript);
  EXPECT_EQ(Ids(Conclude("device-use", facts), "device-use"), "cpu-only-run gpu-never-used gpu-expected device-asked-not-used");
  FactStore config = ReadLogText("Using device: cpu\n");
  AddConfig(config, "trainer.device", "cuda:0");
  EXPECT_TRUE(Conclude("device-use", config).Has("device-asked-not-used"));
}

TEST(DeviceUse, ADamagedJobScriptMayHoldAnotherChoice) {
  FactStore facts = ReadLogText("Using device: cpu\n");
  AddConfig(facts, "trainer.device", "cuda:0");
  const SourceId script = facts.AddSource({.path = "job.sh", .format = "job-script", .size = 100});
  EXPECT_TRUE(Conclude("device-use", facts).Has("gpu-expected"));
  facts.AddAnomaly({.kind = AnomalyKind::kTruncated, .cite = {.source = script, .begin = 90, .end = 100}});
  EXPECT_FALSE(Conclude("device-use", facts).Has("gpu-expected"));
  EXPECT_TRUE(IsNotChecked(Conclude("device-use", facts), "gpu-expected"));
}

TEST(DeviceUse, LeavesAnAutomaticChoiceAlone) {
  FactStore facts = ReadLogText("GPU available: False, used: False\n");
  AddConfig(facts, "trainer.accelerator", "auto");
  EXPECT_FALSE(Conclude("device-use", facts).Has("gpu-expected"));
  const Findings autocast =
      ConcludeFromText("device-use", "UserWarning: User provided device_type of 'cuda', but CUDA is not available. Disabling\n");
  EXPECT_FALSE(autocast.Has("device-asked-not-used"));
}

TEST(DeviceUse, IsSilencedByAnySignOfADevice) {
  EXPECT_EQ(Ids(ConcludeFromText("device-use", "Using device: cpu\nGPU available: True (cuda), used: True\n"), "device-use"), "");
  FactStore facts = ReadLogText("Using device: cpu\n");
  AddReading(facts, "gpu.0.utilisation", 93, 1);
  EXPECT_EQ(Ids(Conclude("device-use", facts), "device-use"), "");
}

TEST(DeviceUse, DoesNotTakeOtherDevicesForTheTrainers) {
  FactStore facts;
  AddConfig(facts, "zero_optimization.offload_optimizer.device", "cpu");
  AddConfig(facts, "export.device", "cpu");
  EXPECT_EQ(Ids(Conclude("device-use", facts), "device-use"), "");
  EXPECT_TRUE(IsNotChecked(Conclude("device-use", facts), "cpu-only-run"));
}

TEST(DeviceUse, CountsThreads) {
  const std::string_view set =
      "W0212 torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to "
      "avoid your system\n";
  EXPECT_TRUE(ConcludeFromText("device-use", std::string(set) + "Using device: cpu\n").Has("threads-one"));
  EXPECT_FALSE(ConcludeFromText("device-use", set).Has("threads-one"));
  FactStore facts;
  AddConfig(facts, "env.OMP_NUM_THREADS", "16", ConfigValue::Origin::kJobScript);
  AddConfig(facts, "SBATCH.cpus-per-task", "16", ConfigValue::Origin::kJobScript);
  AddConfig(facts, "argv.nproc_per_node", "4", ConfigValue::Origin::kJobScript);
  EXPECT_TRUE(Conclude("device-use", facts).Has("threads-over"));
}

TEST(DeviceUse, HearsThatTheProgramFellBack) {
  const std::string text = "torch 2.3.1+cpu\ncuda not available, using cpu\n";
  EXPECT_EQ(Ids(ConcludeFromText("device-use", text), "device-use"), "cpu-only-run gpu-never-used");
  FactStore facts = testing::ReadLogText(text);
  AddConfig(facts, "device", "cuda");
  EXPECT_TRUE(Conclude("device-use", facts).Has("device-asked-not-used"));
}

TEST(DeviceUse, ADeviceThatTheJobWasGivenAndTheCommandDoesNotWant) {
  const auto ids = [](std::string_view key, std::string_view value) {
    FactStore facts = testing::ReadLogText("Using device: cpu\n");
    AddConfig(facts, "SBATCH.gres", "gpu:1", ConfigValue::Origin::kJobScript);
    if (!key.empty()) AddConfig(facts, key, value, ConfigValue::Origin::kArguments);
    return Ids(Conclude("device-use", facts), "device-use");
  };
  EXPECT_EQ(ids("args.device", "cpu"), "cpu-only-run gpu-never-used");
  EXPECT_EQ(ids("no_cuda", "True"), "cpu-only-run gpu-never-used");
  EXPECT_EQ(ids("env.CUDA_VISIBLE_DEVICES", ""), "cpu-only-run gpu-never-used");
  EXPECT_EQ(ids("", ""), "cpu-only-run gpu-never-used gpu-expected device-asked-not-used");
  EXPECT_EQ(ids("args.device", "cuda"), "cpu-only-run gpu-never-used gpu-expected device-asked-not-used");
  EXPECT_EQ(ids("env.CUDA_VISIBLE_DEVICES", "0"), "cpu-only-run gpu-never-used gpu-expected device-asked-not-used");
}

TEST(DeviceUse, ReadsASettingThatTheScriptPrints) {
  const std::string fell = "cuda not available, using cpu\n";
  EXPECT_TRUE(ConcludeFromText("device-use", "device = 'cuda'\n" + fell).Has("device-asked-not-used"));
  EXPECT_FALSE(ConcludeFromText("device-use", "device = 'cpu'\n" + fell).Has("gpu-expected"));
}

}  // namespace
}  // namespace assay
