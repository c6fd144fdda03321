// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "surfaces/reports/report_format.h"
#include "tests/support/report_samples.h"

namespace assay {
namespace {

std::string Render(const Report& report, const RenderOptions& options = {}) {
  return reports::Find("terminal")->render(report, options);
}

TEST(TerminalReport, FitsEightyColumns) {
  const std::string text = Render(testing::FilledReport(
      "A sentence of ordinary words that goes on and on until it must be wrapped, with an umlaut ü and a — dash.", 4));
  for (const std::string_view line : Split(text, '\n')) {
    const auto columns =
        std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    // A command is printed whole, so that it can be copied.
    EXPECT_TRUE(columns <= 80 || line.find("$ ") != std::string_view::npos) << line;
  }
}

TEST(TerminalReport, ColoursOnlyWhenAsked) {
  const Report report = testing::FilledReport("x", 1);
  EXPECT_EQ(Render(report).find('\x1b'), std::string::npos);
  EXPECT_NE(Render(report, {.colour = true}).find('\x1b'), std::string::npos);
}

TEST(TerminalReport, HasTheFivePartsInOrder) {
  const std::string text = Render(testing::FilledReport("x", 1));
  std::size_t at = 0;
  for (const char* heading : {"1. What the probes showed", "2. Hypotheses", "3. Smoke and control outcomes",
                              "4. Cause or uncertainty", "5. Recommended next action"}) {
    at = text.find(heading, at);
    EXPECT_NE(at, std::string::npos) << heading;
  }
}

TEST(TerminalReport, PrintsNumbersOfTheRankingOnlyWhenExplaining) {
  const Report report = testing::FilledReport("x", 1);
  EXPECT_EQ(Render(report).find("bits"), std::string::npos);
  EXPECT_NE(Render(report, {.explain = true}).find("+1.5 bits"), std::string::npos);
}

TEST(TerminalReport, ShowsAllThatWasNotCheckedWhenExplaining) {
  const Report report = testing::FilledReport("x", 9);
  EXPECT_NE(Render(report).find("3 more were not checked"), std::string::npos);
  EXPECT_EQ(Render(report, {.explain = true}).find("more were not checked"), std::string::npos);
}

TEST(TerminalReport, NamesTheCauseBelowTheVerdict) {
  Report report = testing::FilledReport("x", 1);
  report.verdict = "confirmed";
  report.cause = ReportCause{.id = "oom-host-limit", .statement = "Host memory reached its limit."};
  EXPECT_EQ(Render(report).find("\ncause: Host memory reached its limit [oom-host-limit]\n"), Render(report).find('\n'));
}

}  // namespace
}  // namespace assay
