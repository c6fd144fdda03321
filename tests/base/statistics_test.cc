// SPDX-License-Identifier: Apache-2.0
#include "base/statistics.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(PrefixMedians, EqualTheMedianOfEveryPrefix) {
  std::vector<double> values;
  unsigned state = 1;
  for (int i = 0; i < 500; ++i) {
    state = state * 1103515245U + 12345U;
    values.push_back(static_cast<double>(state >> 16U & 63U) - 20);
  }
  const std::vector<double> medians = PrefixMedians(values);
  ASSERT_EQ(medians.size(), values.size());
  for (std::size_t n = 1; n <= values.size(); ++n) {
    EXPECT_EQ(medians[n - 1], Median({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)})) << n;
  }
}

TEST(PrefixMedians, AreNoneOfNothing) { EXPECT_TRUE(PrefixMedians({}).empty()); }

}  // namespace
}  // namespace assay
