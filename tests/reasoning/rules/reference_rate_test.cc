// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::AddConfig;
using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;

struct Project {
  FactStore facts;
  FactStore* sibling = nullptr;
};

void AddSteps(FactStore& facts, std::string_view path, double seconds, double first_loss) {
  const SourceId source = facts.AddSource({.path = std::string(path), .format = "text-log", .size = 1 << 20});
  MetricTable& table = facts.AddTable(source, "key-value");
  for (std::uint64_t i = 1; i <= 40; ++i) {
    table.AddRow({.step = static_cast<std::int64_t>(i), .offset = 50 * i, .length = 40});
    table.Set(table.Column("loss"), first_loss / static_cast<double>(i));
    table.Set(table.Column("step_time"), seconds * (1 + 0.01 * static_cast<double>(i % 3)));
  }
}

Project Two(double mine, double theirs, double other_loss) {
  Project project;
  AddSteps(project.facts, "a/train.log", mine, 3);
  project.sibling = &project.facts.AddSibling("laptop");
  AddSteps(*project.sibling, "b/train.log", theirs, other_loss);
  return project;
}

TEST(ReferenceRate, ComparesWithARunOfTheSameLosses) {
  const Project project = Two(2.0, 0.7, 3);
  const Findings findings = Conclude("reference-rate", project.facts);
  EXPECT_EQ(Ids(findings, "reference-rate"), "rate-low-vs-reference");
  EXPECT_EQ(findings.Find("rate-low-vs-reference")->statement,
            "The step time is 2.02 s here and 0.707 s in laptop, which did the same work: slower by a factor of 2.86.");
}

TEST(ReferenceRate, ComparesWithARunOfTheSameConfig) {
  Project project = Two(2.0, 0.7, 2.5);
  for (FactStore* facts : {&project.facts, project.sibling}) {
    AddConfig(*facts, "batch_size", "64");
    AddConfig(*facts, "lr", "0.1");
    AddConfig(*facts, "model", "resnet50");
  }
  AddConfig(project.facts, "seed", "1");
  AddConfig(*project.sibling, "seed", "2");
  EXPECT_EQ(Ids(Conclude("reference-rate", project.facts), "reference-rate"), "rate-low-vs-reference");
  AddConfig(project.facts, "image_size", "512");
  AddConfig(*project.sibling, "image_size", "224");
  EXPECT_TRUE(IsNotChecked(Conclude("reference-rate", project.facts), "rate-low-vs-reference"));
}

TEST(ReferenceRate, LeavesOtherWorkAndOtherDevicesAlone) {
  EXPECT_TRUE(IsNotChecked(Conclude("reference-rate", Two(2.0, 0.7, 2.5).facts), "rate-low-vs-reference"));
  Project project = Two(2.0, 0.7, 3);
  const auto name = [](FactStore& facts, std::string_view model) {
    facts.Add<Reading>({.name = "gpu.0.name",
                        .text = std::string(model),
                        .belongs_because = "saved",
                        .cite = {.source = SourceId{0}, .begin = 0, .end = 1}});
  };
  name(project.facts, "Tesla T4");
  name(*project.sibling, "NVIDIA A100");
  EXPECT_EQ(Ids(Conclude("reference-rate", project.facts), "reference-rate"), "");
}

TEST(ReferenceRate, LeavesSmallDifferencesAndFasterRunsAlone) {
  EXPECT_EQ(Ids(Conclude("reference-rate", Two(0.85, 0.7, 3).facts), "reference-rate"), "");
  EXPECT_EQ(Ids(Conclude("reference-rate", Two(0.3, 0.7, 3).facts), "reference-rate"), "");
}

TEST(ReferenceRate, SaysWhenThereIsNoReference) {
  FactStore facts;
  AddSteps(facts, "a/train.log", 2.0, 3);
  EXPECT_TRUE(IsNotChecked(Conclude("reference-rate", facts), "rate-low-vs-reference"));
}

}  // namespace
}  // namespace assay
