// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/command_run.h"

namespace assay {
namespace {

using testing::CaseRun;
using testing::RunAssay;
namespace fs = std::filesystem;

TEST(ReportCommand, PrintsWhatDiagnosePrinted) {
  const fs::path state = fs::temp_directory_path() / ("assay-report-" + std::to_string(getpid()));
  const auto first = RunAssay({CaseRun("crs-01"), "--state", state.string()});
  const std::string id = fs::directory_iterator(state / "cases")->path().filename().string();
  const auto again = RunAssay({"report", id, "--state", state.string()});
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(again.status, first.status);
  fs::remove_all(state);
}

TEST(ReportCommand, SaysThatThereIsNoSuchCase) { EXPECT_EQ(RunAssay({"report", "ffff", "--state", "/nonexistent"}).status, 2); }

}  // namespace
}  // namespace assay
