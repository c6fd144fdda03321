// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format trainer_state;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::trainer_state;

constexpr std::string_view kPath = "outputs/checkpoint-24/trainer_state.json";

TEST(TrainerState, ReadsARealOne) {
  const std::string bytes = Fixture("hf_trainer/finished/outputs/trainer_state.json");
  const FactStore facts = ReadAs(trainer_state, "outputs/trainer_state.json", bytes);
  const FactView view(facts);
  ASSERT_EQ(view.tables().size(), 1U);
  const MetricTable& table = view.tables().front();
  EXPECT_EQ(table.writer, "trainer-state");
  EXPECT_EQ(table.planned_steps, 48);
  EXPECT_EQ(table.planned_epochs, 4);
  EXPECT_EQ(table.row(0).step, 4);
  EXPECT_DOUBLE_EQ(table.row(0).epoch, 1.0 / 3);
  EXPECT_EQ(ColumnValues(view, "loss").front(), 3.01965594291687);
  EXPECT_EQ(ColumnValues(view, "eval_loss").front(), 2.7965762615203857);
  const auto loss = table.FindName("loss");
  EXPECT_EQ(table.At(3, *loss), std::nullopt);  // the row of an evaluation has no loss
  EXPECT_EQ(ConfigText(facts, "trainer_state.global_step"), "48");
  EXPECT_EQ(ConfigText(facts, "trainer_state.best_metric"), "null");
  EXPECT_EQ(ConfigText(facts, "trainer_state.stateful_callbacks.TrainerControl.args.should_training_stop"), "true");
  EXPECT_TRUE(view.anomalies().empty());
  const Citation cite = table.Cite(0);
  EXPECT_EQ(bytes.substr(cite.begin, 1), "{");
  EXPECT_EQ(bytes.substr(cite.end - 1, 1), "}");
}

TEST(TrainerState, ReadsBareNaN) {
  const FactStore facts = ReadAs(trainer_state, kPath, Fixture("hf_trainer/nan_shown/outputs/trainer_state.json"));
  const std::vector<double> loss = ColumnValues(FactView(facts), "loss");
  EXPECT_TRUE(std::any_of(loss.begin(), loss.end(), [](double v) { return std::isnan(v); }));
  EXPECT_TRUE(FactView(facts).anomalies().empty());
}

TEST(TrainerState, IsClaimedByThisFormatAlone) { ExpectOnlyClaim(trainer_state); }

TEST(TrainerState, ACutFileGivesFewerFactsAndSaysWhere) {
  const std::string bytes = Fixture("hf_trainer/late_error/outputs/checkpoint-24/trainer_state.json");
  ExpectFactsShrink(trainer_state, kPath, bytes);
  const std::string half = bytes.substr(0, bytes.size() / 2);
  const FactStore facts = ReadAs(trainer_state, kPath, half);
  ASSERT_EQ(AnomalyCount(facts, AnomalyKind::kTruncated), 1U);
  EXPECT_GT(FactView(facts).anomalies()[0].cite.begin, half.size() - 60);
  EXPECT_GT(FactView(facts).tables().front().row_count(), 0U);
}

TEST(TrainerState, BearsEveryFlippedByte) {
  FlipEverywhere(trainer_state, kPath, Fixture("hf_trainer/late_error/outputs/checkpoint-24/trainer_state.json"));
}

TEST(TrainerState, BearsHostileInput) {
  EXPECT_EQ(AnomalyCount(ReadAs(trainer_state, kPath, ""), AnomalyKind::kEmpty), 1U);
  EXPECT_EQ(AnomalyCount(ReadAs(trainer_state, kPath, "[1]"), AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(AnomalyCount(ReadAs(trainer_state, kPath, "{\"a\":" + std::string(100000, '[')), AnomalyKind::kOverlong), 1U);
  const FactStore bad =
      ReadAs(trainer_state, kPath, R"({"log_history": [{"step": 1e300, "loss": "x"}, 3, [4], {"loss": 1}], "max_steps": 1e300})");
  EXPECT_EQ(FactView(bad).tables().front().planned_steps, 0);
  EXPECT_EQ(ColumnValues(FactView(bad), "loss"), (std::vector<double>{1}));
}

}  // namespace
}  // namespace assay
