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

TEST(VerifyCommand, HoldsForAGrownLogAndBreaksForAChangedOne) {
  const fs::path folder = fs::temp_directory_path() / ("assay-verify-" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::copy(CaseRun("crs-01"), folder / "run", fs::copy_options::recursive);
  const std::string project = (folder / "run").string();
  const std::string state = (folder / "state").string();
  RunAssay({project, "--state", state});
  const std::string id = fs::directory_iterator(folder / "state" / "cases")->path().filename().string();
  EXPECT_EQ(RunAssay({"verify", id, "--state", state}).status, 0);

  const std::string log = project + "/slurm-123456.out";
  std::FILE* file = std::fopen(log.c_str(), "ab");
  std::fputs("one more line\n", file);
  std::fclose(file);
  EXPECT_EQ(RunAssay({"verify", id, "--state", state}).status, 0);

  fs::resize_file(log, 100);
  const auto changed = RunAssay({"verify", id, "--state", state});
  EXPECT_EQ(changed.status, 1);
  EXPECT_NE(changed.out.find("changed"), std::string::npos);

  fs::remove(log);
  EXPECT_NE(RunAssay({"verify", id, "--state", state}).out.find("gone"), std::string::npos);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay
