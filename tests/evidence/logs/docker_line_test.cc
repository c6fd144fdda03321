// SPDX-License-Identifier: Apache-2.0
#include "evidence/logs/docker_line.h"

#include <gtest/gtest.h>

#include "tests/support/reading.h"

namespace assay {
namespace {

struct Inner {
  bool is = false;
  std::string text;
  std::optional<Time> time;
  bool complete = false;
};
Inner Unwrap(std::string_view line) {
  Inner out;
  out.is = UnwrapDockerLine(line, out.text, out.time, out.complete);
  return out;
}

TEST(DockerLine, UnwrapsTextAndTime) {
  const Inner line =
      Unwrap(R"({"log":"a \"b\"\t\u001b[0m \u00e9 \ud83d\ude00\n","stream":"stdout","time":"2026-01-01T00:00:00.5Z"})");
  EXPECT_TRUE(line.is && line.complete);
  EXPECT_EQ(line.text, "a \"b\"\t\x1b[0m é \xF0\x9F\x98\x80");
  ASSERT_TRUE(line.time.has_value());
  EXPECT_TRUE(line.time->zoned);
}

TEST(DockerLine, BearsCutsAndBadEscapes) {
  const std::string whole = R"({"log":"loss 0.25\ud83d\ude00\n","stream":"stdout","time":"2026-01-01T00:00:00Z"})";
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    const Inner line = Unwrap(whole.substr(0, n));
    EXPECT_LE(line.text.size(), whole.size());
  }
  EXPECT_FALSE(Unwrap(R"({"log":"a\qb"})").complete);
  EXPECT_EQ(Unwrap(R"({"log":"\ud83d x"})").text, "\xEF\xBF\xBD x");
  EXPECT_FALSE(Unwrap("plain").is);
}

TEST(DockerLine, TheLogReaderSeesWhatTheProgramPrinted) {
  const FactStore facts = testing::ReadLogText(
      "{\"log\":\"{\\\"step\\\": 3, \\\"loss\\\": 0.5}\\n\",\"stream\":\"stdout\",\"time\":\"2026-01-01T00:00:00.5Z\"}\n"
      "{\"log\":\" 50%|##| 1/2 [00:01\\u003c00:01, loss=0.25]\\r100%|##| 2/2 [00:02\\u003c00:00, "
      "loss=0.125]\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-01T00:00:01.5Z\"}\n"
      "{\"log\":\"Traceback (most recent call last):\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-01T00:00:02.5Z\"}\n"
      "{\"log\":\"  File \\\"a.py\\\", line 1, in f\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-01T00:00:02.5Z\"}\n"
      "{\"log\":\"ValueError: no\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-01T00:00:02.5Z\"}\n");
  const FactView view(facts);
  EXPECT_EQ(testing::ColumnValues(view, "loss"), (std::vector<double>{0.5}));
  ASSERT_EQ(view.tables().size(), 2U);
  EXPECT_EQ(view.tables()[0].row(0).time, 1767225600.5);
  EXPECT_TRUE(view.tables()[0].times_zoned);
  EXPECT_EQ(view.tables()[1].row_count(), 2U);
  ASSERT_EQ(view.All<Traceback>().size(), 1U);
  EXPECT_EQ(view.All<Traceback>()[0].exception, "ValueError");
  EXPECT_EQ(view.All<Traceback>()[0].cite.line, 3U);
}

}  // namespace
}  // namespace assay
