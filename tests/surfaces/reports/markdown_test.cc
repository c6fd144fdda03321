// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "surfaces/reports/report_format.h"
#include "tests/support/report_samples.h"

namespace assay {
namespace {

// What Markdown takes for markup: everything outside of `code`.
std::string OutsideCode(const std::string& text) {
  std::string out;
  bool code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') code = false;
    if (text[i] == '`' && (i == 0 || text[i - 1] != '\\')) {
      code = !code;
    } else if (!code) {
      out += text[i];
    }
  }
  return out;
}

TEST(MarkdownReport, KeepsTextOfArtifactsFromBecomingMarkup) {
  const std::string text = OutsideCode(reports::Find("markdown")->render(testing::FilledReport(testing::kHostile, 1), {}));
  EXPECT_EQ(text.find("[link]("), std::string::npos);
  EXPECT_EQ(text.find("<script>"), std::string::npos);
}

}  // namespace
}  // namespace assay
