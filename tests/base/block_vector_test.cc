// SPDX-License-Identifier: Apache-2.0
#include "base/block_vector.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

TEST(BlockVector, HoldsWhatWasPushedAndNeverMovesIt) {
  BlockVector<std::size_t> values;
  EXPECT_TRUE(values.empty());
  std::vector<const std::size_t*> places;
  for (std::size_t i = 0; i < 5000; ++i) {
    values.push_back(3 * i);
    EXPECT_EQ(values.size(), i + 1);
    EXPECT_EQ(values.back(), 3 * i);
    places.push_back(&values.back());
  }
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(values[i], 3 * i);
    EXPECT_EQ(&values[i], places[i]);
  }
  std::size_t next = 0;
  values.ForEach([&](std::size_t i, std::size_t value) {
    EXPECT_EQ(i, next++);
    EXPECT_EQ(value, 3 * i);
  });
  EXPECT_EQ(next, 5000U);
  values[17] = 1;
  EXPECT_EQ(values[17], 1U);
}

}  // namespace
}  // namespace assay
