// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/bar_state.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(BarState, ReadsAllParts) {
  const auto bar = ParseBar("Epoch 3:  55%|#####     | 55/100 [1:00:01<00:10, 50.0it/s, loss=0.5, lr=0.1] trailing [x]");
  ASSERT_TRUE(bar.has_value());
  EXPECT_EQ(bar->description, "Epoch 3");
  EXPECT_EQ(bar->position, 55);
  EXPECT_EQ(bar->total, 100);
  EXPECT_EQ(bar->elapsed, 3601);
  EXPECT_EQ(bar->postfix, "loss=0.5, lr=0.1");
}

TEST(BarState, ReadsBarsWithoutTotalRateOrTimes) {
  EXPECT_EQ(ParseBar("no total: 200it [05:16, 1.58s/it]")->position, 200);
  EXPECT_EQ(ParseBar("100%|##| 2/2 [00:05<00:00, loss=0.412]")->postfix, "loss=0.412");
  EXPECT_EQ(ParseBar(" 31%|###1      | 18204/58692")->total, 58692);
  EXPECT_EQ(ParseBar("  0%|          | 0.00/3.00M [00:00<?, ?tok/s]")->total, 3e6);
}

TEST(BarState, RefusesOtherText) {
  EXPECT_FALSE(ParseBar("50% | of it").has_value());
  EXPECT_FALSE(ParseBar("x%|").has_value());
  EXPECT_FALSE(ParseBar("wait [00:01]").has_value());
}

TEST(BarState, TellsWhatIsCounted) {
  EXPECT_EQ(UnitOf(*ParseBar("Map: 100%|##| 40120/40120 [00:21<00:00, 1866.12 examples/s]")), "examples");
  EXPECT_EQ(UnitOf(*ParseBar(" 33%|###| 1/3 [00:02<00:05,  2.60s/it]")), "it");
  EXPECT_EQ(UnitOf(*ParseBar("100%|##| 2/2 [00:05<00:00, loss=0.412]")), "");
}

TEST(BarState, KnowsBarsThatCountNoSteps) {
  EXPECT_TRUE(CountsPreparation(*ParseBar("Map (num_proc=8): 100%|##| 40120/40120 [00:21<00:00, 1866.12 examples/s]")));
  EXPECT_TRUE(CountsPreparation(*ParseBar("Loading checkpoint shards:  33%|###| 1/3 [00:02<00:05,  2.60s/it]")));
  EXPECT_TRUE(CountsPreparation(*ParseBar("model.safetensors:  10%|#| 410M/4.10G [00:21<03:00, 20.1MB/s]")));
  EXPECT_FALSE(CountsPreparation(*ParseBar("Epoch 3:  55%|#####     | 55/100 [00:01<00:10, 50.0it/s]")));
  EXPECT_FALSE(CountsPreparation(*ParseBar(" 31%|###1      | 18204/58692 [10:00<20:00, 30.3samples/s]")));
}

}  // namespace
}  // namespace assay
