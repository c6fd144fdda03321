// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::ConcludeFromText;
using testing::Ids;

constexpr std::string_view kRule = "epoch-length";

std::string Epoch(int epoch, int end, int total, int every) {
  std::string log = "\n";
  for (int i = 0; i < end; i += every)
    log += fmt::format("\rEpoch {}:  10%|#         | {}/{} [00:02<00:48, 12.30it/s, v_num=0]", epoch, i, total);
  return log + fmt::format("\rEpoch {}:  62%|######2   | {}/{} [00:31<00:19, 12.3it/s, v_num=0]\n", epoch, end, total);
}

TEST(EpochLength, EpochsThatEndEarlyAtOnePlace) {
  std::string log = Epoch(0, 625, 625, 25);
  for (int e = 1; e < 6; ++e) log += Epoch(e, 388, 625, 18);
  const Findings f = ConcludeFromText(kRule, log);
  EXPECT_EQ(Ids(f, kRule), "steps-per-epoch-changed");
  EXPECT_NE(f.Find("steps-per-epoch-changed")->statement.find("388 of 625"), std::string::npos);
}

TEST(EpochLength, LookAlikes) {
  // Bars whose last state is printed some batches before the end.
  std::string sparse;
  for (int e = 0; e < 6; ++e) sparse += Epoch(e, 600, 625, 50);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, sparse), kRule), "");
  // Only the last epoch is cut: the run was stopped.
  std::string cut;
  for (int e = 0; e < 5; ++e) cut += Epoch(e, 625, 625, 25);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, cut + Epoch(5, 200, 625, 25)), kRule), "");
  // An incomplete last batch.
  std::string last;
  for (int e = 0; e < 6; ++e) last += Epoch(e, 624, 625, 24);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, last), kRule), "");
  // Epochs that are left at any place.
  std::string free;
  for (int e = 0; e < 6; ++e) free += Epoch(e, 200 + 60 * e, 625, 10);
  EXPECT_EQ(Ids(ConcludeFromText(kRule, free), kRule), "");
}

TEST(EpochLength, StepsPerEpochOfATable) {
  FactStore store;
  const SourceId source = store.AddSource({.path = "metrics.csv", .format = "metrics-csv"});
  MetricTable& table = store.AddTable(source, "metrics-csv");
  std::int64_t step = 0;
  for (int e = 0; e < 8; ++e) {
    step += e < 2 ? 1000 : 500;
    table.AddRow({.step = step, .epoch = static_cast<double>(e), .offset = static_cast<std::uint64_t>(10 * e), .length = 10});
    table.Set(table.Column("loss"), 1.0);
  }
  EXPECT_EQ(Ids(Conclude(kRule, store), kRule), "steps-per-epoch-changed");
}

TEST(EpochLength, ConfiguredSubsets) {
  const auto with = [](std::string_view key, std::string_view value) {
    FactStore store;
    const SourceId source = store.AddSource({.path = "a.yaml"});
    store.Add(
        ConfigValue{.key = std::string(key), .value = std::string(value), .cite = {.source = source, .begin = 0, .end = 4}});
    return Ids(Conclude(kRule, store), kRule);
  };
  EXPECT_EQ(with("trainer.limit_train_batches", "0.1"), "subset-left-on");
  EXPECT_EQ(with("max_train_samples", "500"), "subset-left-on");
  EXPECT_EQ(with("trainer.fast_dev_run", "true"), "subset-left-on");
  EXPECT_EQ(with("trainer.limit_train_batches", "1.0"), "");
  EXPECT_EQ(with("trainer.fast_dev_run", "false"), "");
  EXPECT_EQ(with("max_train_samples", "null"), "");
  EXPECT_EQ(with("trainer.overfit_batches", "0"), "");
}

}  // namespace
}  // namespace assay
