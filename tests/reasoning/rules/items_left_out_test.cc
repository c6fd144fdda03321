// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::ConcludeFromText;
using testing::Ids;

constexpr std::string_view kRule = "items-left-out";

// One error in every `period` of 100 steps.
std::string Loop(int period) {
  std::string log;
  for (int i = 1; i <= 100; ++i) {
    log += fmt::format("step {} loss 2.0\n", i);
    if (i % period == 0) log += fmt::format("WARNING: error reading /data/{}.jpg: truncated file, skipping\n", i);
  }
  return log;
}

TEST(ItemsLeftOut, ManyAreAFailureAndFewAreTold) {
  const Findings many = ConcludeFromText(kRule, Loop(4));
  EXPECT_EQ(Ids(many, kRule), "exceptions-swallowed");
  EXPECT_FALSE(many.Find("exceptions-swallowed")->survived);
  const Findings few = ConcludeFromText(kRule, Loop(20));
  EXPECT_EQ(Ids(few, kRule), "exceptions-swallowed");
  EXPECT_TRUE(few.Find("exceptions-swallowed")->survived);
  EXPECT_EQ(Ids(ConcludeFromText(
                    kRule, "step 1 loss 2.0\nstep 5000 loss 1.0\nWARNING: error reading /data/a.jpg: truncated file, skipping\n"),
                kRule),
            "");
}

TEST(ItemsLeftOut, ALoopThatCountsAnewInEachEpochIsCountedWhole) {
  std::string log;
  for (int epoch = 0; epoch < 20; ++epoch) {
    log += fmt::format("error in batch {}, skipping: unknown format\n", epoch);
    for (int i = 1; i <= 50; ++i) log += fmt::format("batch {} loss 2.0\n", i);
  }
  const Findings f = ConcludeFromText(kRule, log);
  EXPECT_EQ(Ids(f, kRule), "exceptions-swallowed");
  EXPECT_TRUE(f.Find("exceptions-swallowed")->survived) << f.Find("exceptions-swallowed")->statement;
}

std::string Scan(int found, int corrupt) {
  return fmt::format(
      "train: WARNING /d/images/1.jpg: ignoring corrupt image/label: Label class 6 exceeds dataset class count 6. Possible class "
      "labels are 0-5\n"
      "train: Scanning /d/labels/train.cache... {} images, 2 backgrounds, {} corrupt: 100%|####| {}/{} [00:00<?, ?it/s]\n",
      found, corrupt, found, found);
}

TEST(ItemsLeftOut, ADataSetThatIsMostlyIgnored) {
  const Findings f = ConcludeFromText(kRule, Scan(1300, 1187));
  EXPECT_EQ(Ids(f, kRule), "exceptions-swallowed");
  EXPECT_FALSE(f.Find("exceptions-swallowed")->survived);
  EXPECT_NE(f.Find("exceptions-swallowed")->statement.find("1187 of 1300"), std::string::npos);
  EXPECT_TRUE(ConcludeFromText(kRule, Scan(1300, 20)).Find("exceptions-swallowed")->survived);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, Scan(1300, 3)), kRule), "");
}

}  // namespace
}  // namespace assay
