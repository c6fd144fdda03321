// SPDX-License-Identifier: Apache-2.0
#include "platform/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace assay {
namespace {

TEST(RunCommand, CapturesBothStreamsAndTheStatus) {
  const auto result = RunCommand({"sh", "-c", "echo out; echo err >&2; exit 3"}, 10);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_EQ(result->exit_status, 3);
}

TEST(RunCommand, EndsWhatPassesTheDeadlineWithItsChildren) {
  const auto result = RunCommand({"sh", "-c", "sleep 60 & sleep 60"}, 0.2);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->timed_out);
}

TEST(RunCommand, SaysThatThereIsNoSuchProgram) {
  EXPECT_EQ(RunCommand({"assay-no-such-program"}, 1).error().kind, ErrorKind::kNotFound);
}

TEST(RunInChild, ReturnsTheTextOrNothing) {
  EXPECT_EQ(RunInChild([] { return std::string("hello"); }, 5), "hello");
  EXPECT_EQ(RunInChild([] { return pause(), std::string(); }, 0.1), std::nullopt);
  EXPECT_EQ(RunInChild([]() -> std::string { _exit(4); }, 5), std::nullopt);
}

}  // namespace
}  // namespace assay
