// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;

constexpr std::string_view kRule = "first-rank";

FactStore Ranks(std::initializer_list<int> first_bad) {
  FactStore store;
  const SourceId source = store.AddSource({.path = "train.log", .format = "text-log"});
  int rank = 0;
  for (const int bad : first_bad) {
    MetricTable& table = store.AddTable(source, "key-value");
    table.rank = rank++;
    for (int i = 1; i <= 50; ++i) {
      table.AddRow({.step = i, .offset = static_cast<std::uint64_t>(i), .length = 1});
      table.Set(table.Column("loss"), bad > 0 && i >= bad ? std::numeric_limits<double>::quiet_NaN() : 1.0);
    }
  }
  return store;
}

TEST(FirstRank, OneRankAlone) {
  const Findings f = Conclude(kRule, Ranks({30, 29, 30, 30}));
  EXPECT_EQ(Ids(f, kRule), "one-rank-first");
  EXPECT_EQ(f.Find("one-rank-first")->rank, 1);
  EXPECT_EQ(Ids(Conclude(kRule, Ranks({0, 0, 12, 0})), kRule), "one-rank-first");
}

TEST(FirstRank, AllTogether) { EXPECT_EQ(Ids(Conclude(kRule, Ranks({30, 30, 30})), kRule), "all-ranks-together"); }

TEST(FirstRank, OneLogOnlyOrNothingBad) {
  EXPECT_EQ(Ids(Conclude(kRule, Ranks({30})), kRule), "");
  EXPECT_EQ(Ids(Conclude(kRule, Ranks({0, 0})), kRule), "");
  FactStore silent;
  silent.Add(LogShape{.source = silent.AddSource({.path = "a.log"}), .ranks = {0, 1}});
  EXPECT_TRUE(testing::IsNotChecked(Conclude(kRule, silent), "one-rank-first"));
}

}  // namespace
}  // namespace assay
