// SPDX-License-Identifier: Apache-2.0
// What every report format must bear: an empty report, a huge one, hostile text; and equal input gives equal bytes.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "surfaces/reports/report_format.h"
#include "tests/support/report_samples.h"

namespace assay {
namespace {

class EveryReport : public ::testing::TestWithParam<const ReportFormat*> {
 protected:
  static std::string Render(const Report& report, const RenderOptions& options = {}) {
    return GetParam()->render(report, options);
  }
};

TEST_P(EveryReport, RendersAnEmptyReport) {
  Report empty;
  empty.verdict = "undetermined";
  EXPECT_FALSE(Render(empty).empty());
  EXPECT_TRUE(Render(empty).ends_with('\n'));
}

TEST_P(EveryReport, RendersAHugeReport) {
  const std::string text = Render(testing::FilledReport("word ", 2000), {.explain = true});
  EXPECT_GT(text.size(), 2000U);
  EXPECT_NE(text.find("H2000"), std::string::npos);
}

TEST_P(EveryReport, NeverPrintsControlsOrDamage) {
  const std::string text = Render(testing::FilledReport(testing::kHostile, 3), {.explain = true});
  EXPECT_TRUE(IsValidUtf8(text));
  EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; }));
  EXPECT_EQ(text.find("\xE2\x80\xAE"), std::string::npos);
}

TEST_P(EveryReport, IsDeterministicAndSaysEveryStatement) {
  const Report report = testing::FilledReport("Something was seen.", 2);
  EXPECT_EQ(Render(report), Render(report));
  EXPECT_NE(Render(report).find("Something was seen."), std::string::npos);
  EXPECT_NE(Render(report).find("0123456789ab"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, EveryReport, ::testing::ValuesIn(std::vector(reports::All().begin(), reports::All().end())),
                         [](const auto& entry) { return std::string(entry.param->id); });

}  // namespace
}  // namespace assay
