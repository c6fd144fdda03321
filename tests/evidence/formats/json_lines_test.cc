// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format json_lines;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::json_lines;

TEST(JsonLines, ReadsDetectron2) {
  const std::string bytes = Fixture("detectron2/metrics/metrics.json");
  const FactStore facts = ReadAs(json_lines, "output/metrics.json", bytes);
  const FactView view(facts);
  ASSERT_EQ(view.tables().size(), 1U);
  EXPECT_EQ(view.tables().front().row(1).step, 39);
  EXPECT_EQ(ColumnValues(view, "total_loss")[0], 2.514);
  EXPECT_TRUE(std::isnan(ColumnValues(view, "total_loss")[2]));
  const Citation cite = view.tables().front().Cite(1);
  EXPECT_EQ(bytes.substr(cite.end, 1), "\n");
  EXPECT_EQ(bytes.substr(cite.begin, 12), "{\"data_time\"");
  EXPECT_TRUE(view.anomalies().empty());
}

TEST(JsonLines, MmengineCountsEvaluationsInEpochs) {
  const FactStore facts = ReadAs(json_lines, "work_dirs/x/vis_data/scalars.json", Fixture("mmengine/scalars/scalars.json"));
  const auto& tables = FactView(facts).tables();
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].row_count(), 3U);
  EXPECT_EQ(tables[0].row(2).attempt, 0U);
  EXPECT_EQ(tables[1].row(1).step, 2);
}

TEST(JsonLines, ReadsTextNumbersAndNestedNames) {
  const FactStore facts = ReadAs(json_lines, "log.jsonl",
                                 "{\"epoch\": 1, \"loss\": \"9.1\", \"num_updates\": \"100\", \"note\": \"x\"}\n"
                                 "{\"num_updates\": 200, \"train\": {\"loss\": -Infinity}, \"list\": [1, 2]}\n");
  const FactView view(facts);
  EXPECT_EQ(view.tables().front().row(0).step, 100);
  EXPECT_EQ(ColumnValues(view, "loss"), (std::vector<double>{9.1}));
  EXPECT_EQ(ColumnValues(view, "train.loss"), (std::vector<double>{-HUGE_VAL}));
}

TEST(JsonLines, ClaimsOnlyMetrics) {
  ExpectOnlyClaim(json_lines);
  EXPECT_EQ(Sniffed(json_lines, "generations.jsonl", "{\"prompt\": \"a\"}\n{\"prompt\": \"b\"}\n"), Match::kNo);
  EXPECT_EQ(Sniffed(json_lines, "configs/a.json", "{\"lr\": 1, \"epochs\": 3}\n"), Match::kNo);
  EXPECT_EQ(Sniffed(json_lines, "m.jsonl", "{\"step\": 1, \"loss\": 3}\n"), Match::kYes);
  EXPECT_EQ(Sniffed(json_lines, "a.json", "{\n \"step\": 1}\n"), Match::kNo);
}

TEST(JsonLines, ACutLineIsNoFactAndARuinedOneIsSaid) {
  const std::string bytes =
      "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"loss\": }\n{\"step\": 3, \"loss\": 1}\n{\"step\": 4, \"lo";
  const FactStore facts = ReadAs(json_lines, "m.jsonl", bytes);
  EXPECT_EQ(ColumnValues(FactView(facts), "loss"), (std::vector<double>{2, 1}));
  ASSERT_EQ(AnomalyCount(facts, AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.line, 2U);
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kTruncated), 1U);
}

TEST(JsonLines, BearsDamageAndHostileInput) {
  const std::string bytes = Fixture("mmengine/scalars/scalars.json");
  ExpectFactsShrink(json_lines, "scalars.json", bytes.substr(0, 230));
  FlipEverywhere(json_lines, "scalars.json", bytes);
  EXPECT_EQ(AnomalyCount(ReadAs(json_lines, "m.jsonl", ""), AnomalyKind::kEmpty), 1U);
  EXPECT_EQ(FactView(ReadAs(json_lines, "m.jsonl", std::string(100000, '[') + "\n")).anomalies().size(), 1U);
  EXPECT_EQ(AnomalyCount(ReadAs(json_lines, "m.jsonl", std::string(100, '\0') + "\n"), AnomalyKind::kLostBytes), 1U);
}

}  // namespace
}  // namespace assay
