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

}  // namespace
}  // namespace assay
