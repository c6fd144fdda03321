// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format mlflow_run;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::mlflow_run;

const std::string kRun = "mlflow/file_store/mlruns/374185310303948806/a55a0000000040008000000010071007/";

FactStore ReadPart(const std::string& part) { return ReadAs(mlflow_run, kRun + part, Fixture(kRun + part)); }

TEST(MlflowRun, ReadsMetrics) {
  const FactStore facts = ReadPart("metrics/train/loss");
  const FactView view(facts);
  ASSERT_EQ(view.tables().size(), 1U);
  EXPECT_EQ(ColumnValues(view, "train/loss")[2], 0.8333333333333334);
  EXPECT_EQ(view.tables().front().row(1).step, 1);
  EXPECT_EQ(view.tables().front().row(0).time, 1767225601.75);
  EXPECT_EQ(ColumnValues(FactView(ReadPart("metrics/lowest")), "lowest"), (std::vector<double>{-HUGE_VAL}));
}

TEST(MlflowRun, ReadsStatusParametersAndTags) {
  const FactStore meta = ReadPart("meta.yaml");
  EXPECT_EQ(ConfigText(meta, "mlflow.status"), "FINISHED");
  EXPECT_EQ(ConfigText(meta, "mlflow.run_name"), "baseline");
  EXPECT_EQ(ConfigText(ReadPart("params/lr"), "mlflow.param.lr"), "0.0003");
  EXPECT_EQ(ConfigText(ReadPart("params/model.layers"), "mlflow.param.model.layers"), "2");
  EXPECT_NE(ConfigText(ReadPart("tags/purpose"), "mlflow.tag.purpose"), "(none)");
  EXPECT_EQ(ConfigText(ReadAs(mlflow_run, kRun + "params/hub_token", "abcd12345"), "mlflow.param.hub_token"), "(not recorded)");
}

TEST(MlflowRun, NamesADatabaseAndDoesNotReadIt) {
  const std::string bytes = Fixture("mlflow/sqlite/mlflow.db");
  EXPECT_EQ(Sniffed(mlflow_run, "mlflow.db", bytes), Match::kYes);
  EXPECT_EQ(Sniffed(mlflow_run, "other.db", bytes), Match::kNo);
  const FactStore facts = ReadAs(mlflow_run, "mlflow.db", bytes);
  ASSERT_EQ(FactView(facts).not_checked().size(), 1U);
  EXPECT_EQ(FactView(facts).not_checked()[0].what, "mlflow.db");
}

TEST(MlflowRun, IsClaimedByThisFormatAlone) {
  ExpectOnlyClaim(mlflow_run);
  EXPECT_EQ(Sniffed(mlflow_run, kRun + "meta.yaml", Fixture(kRun + "meta.yaml")), Match::kYes);
  EXPECT_EQ(Sniffed(mlflow_run, kRun + "params/lr", "0.1"), Match::kYes);
  EXPECT_EQ(Sniffed(mlflow_run, kRun + "artifacts/notes/result.txt", "x"), Match::kNo);
  EXPECT_EQ(Sniffed(mlflow_run, "metrics/loss", "1 2 3\n"), Match::kNo);
}

TEST(MlflowRun, BearsDamage) {
  for (const std::string part : {"metrics/train/loss", "meta.yaml"}) {
    const std::string bytes = Fixture(kRun + part);
    ExpectFactsShrink(mlflow_run, kRun + part, bytes);
    FlipEverywhere(mlflow_run, kRun + part, bytes);
  }
  const FactStore facts = ReadAs(mlflow_run, kRun + "metrics/loss", "1 2 3\nx y z\n1 2");
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kCorrupt), 1U);
  EXPECT_EQ(AnomalyCount(facts, AnomalyKind::kTruncated), 1U);
  EXPECT_EQ(AnomalyCount(ReadAs(mlflow_run, kRun + "metrics/loss", ""), AnomalyKind::kEmpty), 1U);
}

}  // namespace
}  // namespace assay
