// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "platform/nvml_helper.h"
#include "tests/support/listing_facts.h"
#include "tests/support/probing.h"
#include "tests/support/reading.h"

namespace assay {
namespace probes {
extern const Probe gpu;
}
namespace {

using testing::TextOf;
using testing::Understood;
using testing::Value;
using testing::Values;

FactStore AskFake(const RunTies& ties = {}) {
  const RealFileSystem files;
  ChildOutput child{.finished = true};
  ProbeOutput output([&](std::string_view text) { child.text += text; });
  probes::gpu.collect({.files = files, .nvml_library = FAKE_NVML}, output);
  FactStore facts;
  InterpretProbe(probes::gpu, child, ties, facts);
  return facts;
}

TEST(GpuProbe, AsksTheDriverThroughTheHelper) {
  const FactStore facts = AskFake({.pids = {{.value = "4242", .said = "train.log:12"}}});
  EXPECT_EQ(TextOf(facts, "gpu.driver_version"), "550.54.15");
  EXPECT_EQ(TextOf(facts, "gpu.0.name"), "Fake GPU 0 \"of a test\"");
  EXPECT_EQ(TextOf(facts, "gpu.1.bus"), "00000000:42:00.0");
  EXPECT_EQ(Value(facts, "gpu.0.utilisation"), 97);
  EXPECT_EQ(Value(facts, "gpu.1.memory_used"), 1024.0 * 1024);
  EXPECT_EQ(Value(facts, "gpu.0.power"), 250.5);
  EXPECT_EQ(Value(facts, "gpu.0.throttle.hw_thermal_slowdown"), 1);
  EXPECT_EQ(Value(facts, "gpu.0.throttle.sw_power_cap"), 0);
  EXPECT_EQ(Value(facts, "gpu.1.throttle.gpu_idle"), 1);
  EXPECT_EQ(Value(facts, "gpu.0.ecc_uncorrected"), 2);
  EXPECT_TRUE(Values(facts, "gpu.1.ecc_uncorrected").empty());  // not supported there
  EXPECT_TRUE(Values(facts, "gpu.0.remap_pending").empty());    // the function is missing
  EXPECT_EQ(Value(facts, "gpu.0.process.9999"), 16.0 * 1024 * 1024 * 1024);
  for (const Reading& reading : FactView(facts).All<Reading>()) {
    EXPECT_TRUE(reading.live);
    const bool own = reading.name.starts_with("gpu.0.");
    EXPECT_EQ(reading.belongs_because, own ? "process 4242 of the run is on this device (train.log:12)" : "") << reading.name;
  }
}

TEST(GpuProbe, KeepsWhatWasSaidBeforeTheDriverHung) {
  setenv("FAKE_NVML_HANG", "1", 1);
  const FactStore facts = AskFake();
  unsetenv("FAKE_NVML_HANG");
  EXPECT_EQ(Value(facts, "gpu.0.utilisation"), 97);
  EXPECT_TRUE(Values(facts, "gpu.1.utilisation").empty());
  ASSERT_EQ(FactView(facts).not_checked().size(), 1U);
  EXPECT_EQ(FactView(facts).not_checked()[0].why, "the NVIDIA driver did not answer");
}

TEST(GpuProbe, SaysWhyThereIsNothingToAsk) {
  setenv("FAKE_NVML_REFUSE", "1", 1);
  const FactStore refused = AskFake();
  unsetenv("FAKE_NVML_REFUSE");
  if (FactView(refused).All<Reading>().empty()) {  // else this machine has nvidia-smi or an AMD card
    ASSERT_EQ(FactView(refused).not_checked().size(), 1U);
    EXPECT_EQ(FactView(refused).not_checked()[0].why.substr(0, 17), "Driver Not Loaded");
  }
  const auto missing = RunNvmlHelper("/no/such/library.so", 5);
  ASSERT_TRUE(missing.has_value());
  EXPECT_EQ(missing->output.substr(0, 9), "{\"error\":");
}

TEST(GpuProbe, ReadsNvidiaSmiInstead) {
  const FactStore facts =
      Understood(probes::gpu,
                 "index, uuid, memory.total [MiB], utilization.gpu [%]\n0, GPU-a, 24576 MiB, 3 %\n1, GPU-b, 24576 MiB, [N/A]\n");
  EXPECT_EQ(Value(facts, "gpu.0.utilisation"), 3);
  EXPECT_TRUE(Values(facts, "gpu.1.utilisation").empty());
  EXPECT_TRUE(FactView(facts).All<Reading>()[0].live);
}

TEST(GpuProbe, ReadsAmdFromSysfs) {
  MemoryFileSystem files;
  files.Add("/sys/class/drm/card1/device/mem_info_vram_total", "17163091968\n");
  files.Add("/sys/class/drm/card1/device/mem_info_vram_used", "1000000\n");
  files.Add("/sys/class/drm/card1/device/gpu_busy_percent", "42\n");
  const FactStore facts = testing::Probed(probes::gpu, files);
  EXPECT_EQ(Value(facts, "gpu.1.memory_total"), 17163091968.0);
  EXPECT_EQ(Value(facts, "gpu.1.utilisation"), 42);
}

TEST(GpuProbe, BearsAnyText) {
  for (const std::string_view text :
       {"{", "{}", "{\"gpu\":-1}\n", "{\"gpu\":\"x\"}\n", "{\"gpu\":1,\"processes\":[1,{},{\"pid\":\"a\"}],\"name\":7}\n",
        "{\"driver\":5}\n", "amd\n", "amd 1 x y\n", "[[[[\n", "{\"gpu\":1e400}\n"}) {
    Understood(probes::gpu, text);
  }
}

}  // namespace
}  // namespace assay
