// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "surfaces/reports/report_format.h"
#include "tests/support/report_samples.h"

namespace assay {
namespace {

TEST(JsonReport, HasTheKeysOfTheSchemaInTheirOrder) {
  const auto object = nlohmann::ordered_json::parse(reports::Find("json")->render(testing::FilledReport("x", 1), {}));
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema", "run", "verdict", "classes", "when", "recurrence", "cause", "hypotheses",
                                            "findings", "evidence", "experiments", "contradictions", "not_checked", "anomalies",
                                            "next", "dependences", "case", "assay"}));
  EXPECT_EQ(object["schema"], "assay.report/1");
  EXPECT_TRUE(object["cause"].is_null());
  EXPECT_EQ(object["evidence"][0]["range"]["unit"], "bytes");
}

TEST(JsonReport, PrintsAbsentValuesAsNull) {
  Report report;
  report.verdict = "undetermined";
  const auto object = nlohmann::ordered_json::parse(reports::Find("json")->render(report, {}));
  for (const char* key : {"command", "commit", "dirty", "started", "ended", "ranks"})
    EXPECT_TRUE(object["run"][key].is_null()) << key;
  EXPECT_TRUE(object["when"]["step"].is_null());
}

TEST(JsonReport, ReadsBackFromItsRecord) {
  const Report report = testing::FilledReport(testing::kHostile, 3);
  const auto read = ReportFromRecord(ReportToRecord(report));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(ReportToRecord(*read), ReportToRecord(report));
  EXPECT_FALSE(ReportFromRecord("{}").has_value());
  EXPECT_FALSE(ReportFromRecord("not json").has_value());
}

}  // namespace
}  // namespace assay
