// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format text_log;
}
namespace {

using testing::CutEverywhere;
using testing::FlipEverywhere;
using testing::ReadAs;

constexpr std::string_view kLog =
    "2026-01-01 10:00:00,001 - INFO - start\n"
    "step 1 | loss 2.5 | lr 1e-4\n"
    "\x1b[32mstep 2 | loss nan | lr 1e-4\x1b[0m\n"
    "  5%|5         | 1/20 [00:01<00:19, 1.0s/it]\r 10%|#         | 2/20 [00:02<00:18, 1.0s/it]\n"
    "Traceback (most recent call last):\n"
    "  File \"train.py\", line 10, in <module>\n"
    "    main()\n"
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.60 GiB already allocated; "
    "10.56 MiB free; 9.71 GiB reserved in total by PyTorch)\n";

TEST(TextLog, TakesTextAndRefusesBinary) {
  const auto sniff = [](std::string_view path, std::string_view bytes) {
    return formats::text_log.sniff({.path = path, .bytes = std::as_bytes(std::span(bytes)), .size = bytes.size()});
  };
  EXPECT_EQ(sniff("train.log", kLog), Match::kMaybe);
  EXPECT_EQ(sniff("slurm-12.out", kLog), Match::kMaybe);
  EXPECT_EQ(sniff("weights.bin", kLog), Match::kNo);
  EXPECT_EQ(sniff("train.log", std::string_view("\x01\x02\x03\x04", 4)), Match::kNo);
}

TEST(TextLog, BearsEveryCutAndEveryFlippedByte) {
  CutEverywhere(formats::text_log, "train.log", kLog);
  FlipEverywhere(formats::text_log, "train.log", kLog);
}

TEST(TextLog, ACutLogMakesNoNewFacts) {
  CutEverywhere(formats::text_log, "train.log", kLog, [](std::size_t, const FactStore& facts) {
    for (const MetricTable& table : FactView(facts).tables()) {
      for (std::size_t i = 0; i < table.row_count(); ++i) {
        const auto lr = table.Find(Metric::kLearningRate);
        if (lr && table.At(i, *lr)) {
          EXPECT_EQ(*table.At(i, *lr), 1e-4);
        }
      }
    }
  });
}

TEST(TextLog, ReadsTablesThatTheRunPrinted) {
  std::string log = "using cuda:0\n";
  const std::string table =
      "Sat Mar  8 20:01:11 2025\n"
      "| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03   CUDA Version: 12.2     |\n"
      "|   0  NVIDIA GeForce RTX 3060        On  | 00000000:17:00.0 Off |                    0 |\n"
      "| N/A   51C    P2              44W /  170W |   5122MiB / 12288MiB |     94%      Default |\n"
      "Filesystem      Size  Used Avail Use% Mounted on\n"
      "/dev/sdb1       7.3T  7.1T  201G  98% /data\n";
  for (int i = 0; i < 3; ++i) {
    log += table;
    for (int s = 0; s < 40; ++s) log += "step " + std::to_string(40 * i + s) + " | loss 2.5 | a line with a % / and words\n";
  }
  const FactStore facts = ReadAs(formats::text_log, "all.log", log);
  const FactView view(facts);
  std::size_t utilisation = 0;
  std::size_t disk = 0;
  for (const Reading& reading : view.All<Reading>()) {
    if (reading.name == "gpu.0.utilisation") ++utilisation;
    if (reading.name == "disk./data.used_percent") ++disk;
    EXPECT_NE(reading.belongs_because.find("all.log"), std::string::npos);
    EXPECT_LT(reading.cite.begin, reading.cite.end);
    EXPECT_LE(reading.cite.end, log.size());
  }
  EXPECT_EQ(utilisation, 3U);
  EXPECT_EQ(disk, 3U);
  ASSERT_EQ(view.tables().size(), 1U);
  EXPECT_EQ(view.tables().front().row_count(), 120U);
  CutEverywhere(formats::text_log, "all.log", log, {}, 97);
}

}  // namespace
}  // namespace assay
