// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::AddConfig;
using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;

void AddLosses(FactStore& facts, std::string_view path, double factor, double wobble, std::string_view accumulation) {
  const SourceId source = facts.AddSource({.path = std::string(path), .format = "text-log", .size = 1 << 20});
  MetricTable& table = facts.AddTable(source, "hf-trainer");
  for (std::uint64_t i = 1; i <= 40; ++i) {
    table.AddRow({.step = static_cast<std::int64_t>(20 * i), .offset = 50 * i, .length = 40});
    table.Set(table.Column("loss"), factor * (1 + 1.0 / static_cast<double>(i)) * (1 + wobble * static_cast<double>(i % 3)));
  }
  AddConfig(facts, "gradient_accumulation_steps", accumulation);
}

FactStore Two(double factor, std::string_view mine, std::string_view theirs, double wobble = 0.002) {
  FactStore facts;
  AddLosses(facts, "ga4/train.log", factor, wobble, mine);
  AddLosses(facts.AddSibling("ga1"), "ga1/train.log", 1, 0, theirs);
  return facts;
}

TEST(LossRatio, FindsTheFactorOfTheAccumulation) {
  const FactStore facts = Two(4, "4", "1");
  const Findings findings = Conclude("loss-ratio", facts);
  ASSERT_EQ(Ids(findings, "loss-ratio"), "loss-ratio-integer");
  EXPECT_EQ(findings.Find("loss-ratio-integer")->statement,
            "The loss is 4.01 times that of ga1 over 40 logged values, and gradient_accumulation_steps is 4 here and 1 there.");
}

TEST(LossRatio, LeavesFactorsAloneThatNoSettingHas) {
  EXPECT_EQ(Ids(Conclude("loss-ratio", Two(2, "4", "1")), "loss-ratio"), "");
  EXPECT_EQ(Ids(Conclude("loss-ratio", Two(1, "4", "1")), "loss-ratio"), "");
  EXPECT_EQ(Ids(Conclude("loss-ratio", Two(4, "4", "1", 0.3)), "loss-ratio"), "");  // not the same all along
}

TEST(LossRatio, LeavesTheReferenceRunAlone) { EXPECT_EQ(Ids(Conclude("loss-ratio", Two(0.25, "1", "4")), "loss-ratio"), ""); }

TEST(LossRatio, SaysWhenThereIsNothingToCompareWith) {
  EXPECT_TRUE(IsNotChecked(Conclude("loss-ratio", FactStore()), "loss-ratio-integer"));
}

}  // namespace
}  // namespace assay
