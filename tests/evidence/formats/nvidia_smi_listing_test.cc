// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/listing_facts.h"
#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format nvidia_smi_listing;
}
namespace {

using testing::CutEverywhere;
using testing::Fixture;
using testing::FlipEverywhere;
using testing::ReadAs;
using testing::Value;
using testing::Values;

TEST(NvidiaSmiListing, ReadsTheTable) {
  const FactStore facts = ReadAs(formats::nvidia_smi_listing, "logs/nvidia-smi.txt", Fixture("nvidia_smi/table.txt"));
  EXPECT_EQ(Value(facts, "gpu.0.utilisation"), 100);
  EXPECT_EQ(Value(facts, "gpu.0.memory_used"), 2425.0 * 1024 * 1024);
  EXPECT_EQ(Value(facts, "gpu.3.memory_total"), 24268.0 * 1024 * 1024);
  EXPECT_EQ(Value(facts, "gpu.1.temperature"), 53);
  EXPECT_EQ(Value(facts, "gpu.1.power"), 131);
  EXPECT_EQ(Value(facts, "gpu.1.power_limit"), 350);
  EXPECT_EQ(Value(facts, "gpu.2.process.18367"), 2401.0 * 1024 * 1024);
  EXPECT_TRUE(Values(facts, "gpu.0.ecc_uncorrected").empty());  // N/A is no fact
  const FactView view(facts);
  for (const Reading& reading : view.All<Reading>()) {
    EXPECT_FALSE(reading.live);
    EXPECT_EQ(reading.belongs_because, "it was saved beside the run, in logs/nvidia-smi.txt");
    ASSERT_TRUE(reading.time.has_value()) << reading.name;
    EXPECT_EQ(FormatTime(*reading.time), "2021-03-17T13:20:31");
    EXPECT_NE(reading.cite.line, 0U);
  }
  EXPECT_TRUE(view.anomalies().empty());
  EXPECT_TRUE(view.All<LogShape>().empty());
}

TEST(NvidiaSmiListing, ReadsTheNewTableWithTheCountOfErrors) {
  const FactStore facts = ReadAs(formats::nvidia_smi_listing, "s.txt",
                                 "| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |\n"
                                 "|-----------------------------------------+------------------------+----------------------+\n"
                                 "|   7  NVIDIA H100 80GB HBM3          On  |   00000000:DB:00.0 Off |                    3 |\n"
                                 "| N/A   34C    P0             67W /  700W |       4MiB /  81559MiB |      0%      Default |\n"
                                 "|                                         |                        |             Disabled |\n");
  EXPECT_EQ(Value(facts, "gpu.7.ecc_uncorrected"), 3);
  EXPECT_EQ(Value(facts, "gpu.7.power_limit"), 700);
  EXPECT_EQ(Value(facts, "gpu.7.utilisation"), 0);
  EXPECT_EQ(testing::TextOf(facts, "gpu.7.name"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(testing::TextOf(facts, "gpu.driver_version"), "550.54.15");
}

TEST(NvidiaSmiListing, ReadsAForeignProcessAndThePsBelow) {
  const FactStore facts = ReadAs(formats::nvidia_smi_listing, "s.txt", Fixture("nvidia_smi/table_and_ps.txt"));
  EXPECT_EQ(Value(facts, "gpu.0.process.3312907"), 17838.0 * 1024 * 1024);
  EXPECT_EQ(testing::TextOf(facts, "gpu.0.process.3312907"), "/opt/llm/bin/python3.12");
  const FactView view(facts);
  ASSERT_EQ(view.All<ProcessSeen>().size(), 2U);
  EXPECT_EQ(view.All<ProcessSeen>()[1].pid, 3390112);
  EXPECT_EQ(view.All<ProcessSeen>()[1].command, "python train.py --config configs/vits.yaml");
}

TEST(NvidiaSmiListing, ReadsAQuery) {
  const FactStore facts = ReadAs(formats::nvidia_smi_listing, "s.csv", Fixture("nvidia_smi/query.csv"));
  EXPECT_EQ(Values(facts, "gpu.0.utilisation").size(), Values(facts, "gpu.0.clock_sm").size());
  EXPECT_EQ(Value(facts, "gpu.0.power"), 295.17);
  EXPECT_EQ(Value(facts, "gpu.0.memory_used"), 31877.0 * 1024 * 1024);
  const std::vector<double> slowed = Values(facts, "gpu.0.throttle.hw_thermal_slowdown");
  EXPECT_EQ(slowed.front(), 0);
  EXPECT_EQ(*std::max_element(slowed.begin(), slowed.end()), 1);
  EXPECT_EQ(FormatTime(*FactView(facts).All<Reading>().front().time), "2026-08-08T13:00:20");
}

TEST(NvidiaSmiListing, TellsDevicesApartByTheirIds) {
  const FactStore facts =
      ReadAs(formats::nvidia_smi_listing, "s.csv",
             "uuid, utilization.gpu [%], memory.used [MiB]\nGPU-a, 10, 100\nGPU-b, 20, [N/A]\nGPU-a, 30, 300\n");
  EXPECT_EQ(Values(facts, "gpu.0.utilisation"), (std::vector<double>{10, 30}));
  EXPECT_EQ(Values(facts, "gpu.1.utilisation"), (std::vector<double>{20}));
  EXPECT_TRUE(Values(facts, "gpu.1.memory_used").empty());
  EXPECT_EQ(Value(facts, "gpu.0.memory_used"), 100.0 * 1024 * 1024);
}

TEST(NvidiaSmiListing, ReadsDmonAndTheListOfDevices) {
  const FactStore dmon = ReadAs(formats::nvidia_smi_listing, "s.txt", Fixture("nvidia_smi/dmon.txt"));
  EXPECT_EQ(Values(dmon, "gpu.1.utilisation"), (std::vector<double>{97, 96}));
  EXPECT_EQ(Values(dmon, "gpu.0.clock_sm"), (std::vector<double>{1275, 1275}));
  const FactStore list = ReadAs(formats::nvidia_smi_listing, "s.txt", Fixture("nvidia_smi/list_mig.txt"));
  EXPECT_EQ(testing::TextOf(list, "gpu.0.mig.1"), "1g.5gb");
  EXPECT_EQ(testing::TextOf(list, "gpu.1.name"), "NVIDIA A100-SXM4-40GB");
}

TEST(NvidiaSmiListing, KeepsEvenSamplesAndEverySlowdownOfALongSeries) {
  std::string text = "index, utilization.gpu [%], clocks_event_reasons.hw_slowdown\n";
  for (int i = 0; i < 60000; ++i)
    text += i % 2 == 0 ? "0, 10, Not Active\n" : i == 30001 ? "1, 90, Active\n" : "1, 90, Not Active\n";
  const FactStore facts = ReadAs(formats::nvidia_smi_listing, "s.csv", text);
  EXPECT_LE(FactView(facts).All<Reading>().size(), 4000U);
  EXPECT_GE(Values(facts, "gpu.0.utilisation").size(), 200U);
  EXPECT_GE(Values(facts, "gpu.1.utilisation").size(), 200U);
  const std::vector<double> slowed = Values(facts, "gpu.1.throttle.hw_slowdown");
  EXPECT_EQ(std::count(slowed.begin(), slowed.end(), 1.0), 1);
}

TEST(NvidiaSmiListing, ALogThatBeginsWithATableStaysALog) {
  std::string text = Fixture("nvidia_smi/table.txt");
  for (int i = 0; i < 40; ++i) text += "{'loss': 1.5, 'epoch': 0.1}\n";
  const auto sniff = [](std::string_view bytes) {
    return formats::nvidia_smi_listing.sniff(
        {.path = "train.out",
         .bytes = std::as_bytes(std::span(bytes)).first(std::min<std::size_t>(bytes.size(), 4096)),
         .size = bytes.size()});
  };
  EXPECT_EQ(sniff(Fixture("nvidia_smi/table.txt")), Match::kYes);
  EXPECT_EQ(sniff(text), Match::kNo);
  // A table that fills the head hides what follows; reading finds it.
  const FactStore facts = ReadAs(formats::nvidia_smi_listing, "train.out", text);
  EXPECT_EQ(testing::ColumnValues(FactView(facts), "loss").size(), 40U);
  EXPECT_EQ(Value(facts, "gpu.0.utilisation"), 100);
}

TEST(NvidiaSmiListing, BearsDamage) {
  for (const std::string_view name :
       {"nvidia_smi/table.txt", "nvidia_smi/query.csv", "nvidia_smi/dmon.txt", "nvidia_smi/list_mig.txt"}) {
    const std::string bytes = Fixture(name);
    const FactStore whole = ReadAs(formats::nvidia_smi_listing, "s", bytes);
    CutEverywhere(
        formats::nvidia_smi_listing, "s", bytes,
        [&](std::size_t, const FactStore& facts) { testing::ExpectNoNewReadings(facts, whole); }, 7);
    FlipEverywhere(formats::nvidia_smi_listing, "s", bytes, 11);
  }
  const FactStore empty = ReadAs(formats::nvidia_smi_listing, "s", "");
  ASSERT_EQ(FactView(empty).anomalies().size(), 1U);
  EXPECT_EQ(FactView(empty).anomalies()[0].kind, AnomalyKind::kEmpty);
}

TEST(NvidiaSmiListing, BearsHostileRows) {
  std::string text = "index, utilization.gpu [%]\n" + std::string(3 << 20, ',') + "\n" + std::string(200000, '|') + "\n";
  text +=
      "| NVIDIA-SMI 1 |\n|   0  x  On | 00:00 Off | 99999999999999999999 |\n| N/A 1C P0 1W / 1W | 99999999999999999999MiB / 1MiB "
      "| 1e999% D |\n";
  const FactStore facts = ReadAs(formats::nvidia_smi_listing, "s", text);
  EXPECT_TRUE(Values(facts, "gpu.0.ecc_uncorrected").empty());
}

constexpr std::string_view kReport =
    "\n==============NVSMI LOG==============\n\n"
    "Timestamp                                 : Thu Feb 20 16:41:02 2025\n"
    "Driver Version                            : 550.90.07\n\n"
    "Attached GPUs                             : 2\n"
    "GPU 00000000:65:00.0\n"
    "    Product Name                          : NVIDIA A100-PCIE-40GB\n"
    "    Clocks Event Reasons\n"
    "        SW Power Cap                      : Not Active\n"
    "        HW Slowdown                       : Active\n"
    "            HW Thermal Slowdown           : Active\n"
    "    FB Memory Usage\n"
    "        Total                             : 40960 MiB\n"
    "        Used                              : 30120 MiB\n"
    "    Utilization\n"
    "        Gpu                               : 100 %\n"
    "    Clocks\n"
    "        SM                                : 420 MHz\n"
    "    Max Clocks\n"
    "        SM                                : 1410 MHz\n"
    "GPU 00000000:B3:00.0\n"
    "    Utilization\n"
    "        Gpu                               : N/A\n"
    "    Clocks\n"
    "        SM                                : 1395 MHz\n";

TEST(NvidiaSmiListing, ReadsTheLongReport) {
  const FactStore facts = ReadAs(formats::nvidia_smi_listing, "nvidia-smi-q.txt", kReport);
  EXPECT_EQ(Value(facts, "gpu.0.throttle.hw_thermal_slowdown"), 1);
  EXPECT_EQ(Value(facts, "gpu.0.throttle.sw_power_cap"), 0);
  EXPECT_EQ(Value(facts, "gpu.0.utilisation"), 100);
  EXPECT_EQ(Value(facts, "gpu.0.memory_used"), 30120.0 * 1024 * 1024);
  EXPECT_EQ(Values(facts, "gpu.0.clock_sm"), std::vector<double>{420});  // and not the highest that it could have
  EXPECT_EQ(Value(facts, "gpu.1.clock_sm"), 1395);
  EXPECT_TRUE(Values(facts, "gpu.1.utilisation").empty());
  EXPECT_EQ(FormatTime(*FactView(facts).All<Reading>().front().time), "2025-02-20T16:41:02");
  CutEverywhere(formats::nvidia_smi_listing, "nvidia-smi-q.txt", kReport);
  FlipEverywhere(formats::nvidia_smi_listing, "nvidia-smi-q.txt", kReport);
}

}  // namespace
}  // namespace assay
