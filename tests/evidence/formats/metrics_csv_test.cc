// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format metrics_csv;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::metrics_csv;

constexpr std::string_view kPath = "lightning_logs/version_0/metrics.csv";

TEST(MetricsCsv, ReadsLightningWithItsBlankCells) {
  const std::string bytes = Fixture("lightning/finished/lightning_logs/version_0/metrics.csv");
  const FactStore facts = ReadAs(metrics_csv, kPath, bytes);
  const FactView view(facts);
  ASSERT_EQ(view.tables().size(), 1U);
  const MetricTable& table = view.tables().front();
  EXPECT_EQ(table.row(0).step, 3);
  EXPECT_EQ(table.row(0).epoch, 0);
  EXPECT_EQ(ColumnValues(view, "train_loss").front(), 5.705674648284912);
  const auto validation = table.FindName("val_loss");
  ASSERT_TRUE(validation.has_value());
  EXPECT_EQ(table.At(0, *validation), std::nullopt);
  EXPECT_EQ(bytes.substr(table.Cite(0).begin, 4), "0,3,");
  EXPECT_TRUE(view.anomalies().empty());
}

TEST(MetricsCsv, BlankNaNAndZeroAreThreeThings) {
  const FactStore facts = ReadAs(metrics_csv, "training.csv", "epoch,loss,val_loss\n0,NA,nan\n1,0.0,\n2,-inf,\"[1, 2]\"\n");
  const MetricTable& table = FactView(facts).tables().front();
  const std::size_t loss = *table.FindName("loss");
  const std::size_t validation = *table.FindName("val_loss");
  EXPECT_EQ(table.At(0, loss), std::nullopt);
  EXPECT_TRUE(std::isnan(*table.At(0, validation)));
  EXPECT_EQ(table.At(1, loss), 0.0);
  EXPECT_EQ(table.At(1, validation), std::nullopt);
  EXPECT_EQ(table.At(2, loss), -HUGE_VAL);
  EXPECT_EQ(table.At(2, validation), std::nullopt);
}

TEST(MetricsCsv, ReadsTheOtherWriters) {
  const FactStore keras = ReadAs(metrics_csv, "training.csv", Fixture("keras/nan_stop/training.csv"));
  EXPECT_EQ(ColumnValues(FactView(keras), "loss").front(), HUGE_VAL);
  const FactStore yolo = ReadAs(metrics_csv, "runs/train/results.csv", Fixture("ultralytics/results/results.csv"));
  EXPECT_EQ(ColumnValues(FactView(yolo), "train/box_loss"), (std::vector<double>{1.84731, 1.62001}));
  EXPECT_FALSE(FactView(yolo).tables().front().Find(Metric::kStepTime).has_value());
  EXPECT_EQ(FactView(yolo).tables().front().row(1).epoch, 2);
  const FactStore timm = ReadAs(metrics_csv, "output/summary.csv", Fixture("timm/summary/summary.csv"));
  EXPECT_EQ(ColumnValues(FactView(timm), "eval_loss"), (std::vector<double>{6.87, 6.2}));
  const FactStore tabs = ReadAs(metrics_csv, "log.tsv", "step\tloss\n1\t0.5\n");
  EXPECT_EQ(ColumnValues(FactView(tabs), "loss"), (std::vector<double>{0.5}));
}

TEST(MetricsCsv, AnAppendedRunIsAnotherAttempt) {
  const FactStore facts = ReadAs(metrics_csv, "training.csv", "epoch,loss\n0,2\n1,1\nepoch,lr,loss\n0,0.1,3\n");
  const MetricTable& table = FactView(facts).tables().front();
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(table.row(2).attempt, 1U);
  EXPECT_EQ(ColumnValues(FactView(facts), "loss"), (std::vector<double>{2, 1, 3}));
}

TEST(MetricsCsv, ClaimsOnlyTablesOfMetrics) {
  ExpectOnlyClaim(metrics_csv);
  EXPECT_EQ(Sniffed(metrics_csv, "data.csv", "name,age\nx,1\n"), Match::kNo);
  EXPECT_EQ(Sniffed(metrics_csv, "gpu.csv", "timestamp, name, utilization.gpu [%]\n2026, A100, 5\n"), Match::kNo);
  EXPECT_EQ(Sniffed(metrics_csv, "train.log", "Epoch 1, loss: 0.5\nEpoch 2, loss: 0.4\n"), Match::kNo);
  EXPECT_EQ(Sniffed(metrics_csv, "x.csv", "step,loss\n1,2\n"), Match::kYes);
  EXPECT_EQ(Sniffed(metrics_csv, "x.csv", "1,2\n3,4\n"), Match::kNo);
  EXPECT_EQ(Sniffed(metrics_csv, "labels.csv", "step,caption\na,b\n"), Match::kNo);
}

TEST(MetricsCsv, RowsThatDoNotFitAreSaid) {
  const FactStore facts = ReadAs(metrics_csv, "x.csv", "step,loss\n1,2\n1,2,3\n\n4,5\n6,7");
  EXPECT_EQ(ColumnValues(FactView(facts), "loss"), (std::vector<double>{2, 5}));
  ASSERT_EQ(AnomalyCount(facts, AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(FactView(facts).anomalies()[0].cite.line, 3U);
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kTruncated), 1U);
}

TEST(MetricsCsv, BearsDamageAndHostileInput) {
  const std::string bytes = Fixture("keras/finished/training.csv");
  ExpectFactsShrink(metrics_csv, "training.csv", bytes);
  FlipEverywhere(metrics_csv, "training.csv", bytes);
  EXPECT_EQ(AnomalyCount(ReadAs(metrics_csv, "x.csv", ""), AnomalyKind::kEmpty), 1U);
  std::string wide = "step";
  for (int i = 0; i < 100000; ++i) wide += ",c" + std::to_string(i);
  wide += "\n1";
  for (int i = 0; i < 100000; ++i) wide += ",1";
  const FactStore facts = ReadAs(metrics_csv, "x.csv", wide + "\n");
  EXPECT_LE(FactView(facts).tables().front().columns().size(), 1024U);
  EXPECT_GT(AnomalyCount(facts, AnomalyKind::kOverlong), 0U);
  EXPECT_GT(AnomalyCount(ReadAs(metrics_csv, "x.csv", "step,loss\n" + std::string(3 << 20, '1') + "\n"), AnomalyKind::kOverlong),
            0U);
}

}  // namespace
}  // namespace assay
