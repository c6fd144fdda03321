// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/command_run.h"

namespace assay {
namespace {

using testing::CaseRun;
using testing::RunAssay;

TEST(Diagnose, PrintsOnlyTheProductOnStandardOutput) {
  const auto run = RunAssay({CaseRun("crs-01"), "--no-case", "--format", "json"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(nlohmann::json::parse(run.out)["cause"]["id"], "oom-host-limit");
}

TEST(Diagnose, CallsAHealthyRunHealthy) { EXPECT_EQ(RunAssay({CaseRun("ben-05"), "--no-case"}).status, 0); }

TEST(Diagnose, SaysWhatItLookedForWhereThereIsNoRun) {
  const auto run = RunAssay({ASSAY_SOURCE_DIR "/cmake", "--no-case"});
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("no run found"), std::string::npos);
}

TEST(Diagnose, ModeChangesNoVerdictAndIsNamedWhenAbsent) {
  const auto plain = nlohmann::json::parse(RunAssay({CaseRun("crs-01"), "--no-case", "--format", "json"}).out);
  const auto asked = nlohmann::json::parse(RunAssay({CaseRun("crs-01"), "--no-case", "--format", "json", "--mode", "nan"}).out);
  EXPECT_EQ(plain["verdict"], asked["verdict"]);
  EXPECT_EQ(plain["classes"], asked["classes"]);
  EXPECT_EQ(asked["not_checked"].front()["what"], "mode nan");
}

TEST(Diagnose, SendsNobodyToACommandThatThereIsNot) {
  for (const auto& folder : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/tests/cases")) {
    const std::string id = folder.path().filename().string();
    if (!id.starts_with("und-") && !id.starts_with("nan-")) continue;
    const auto report = nlohmann::json::parse(RunAssay({CaseRun(id), "--no-case", "--no-probes", "--format", "json"}).out);
    for (const auto& next : report["next"]) {
      if (!next["command"].is_string()) continue;
      const std::string command = next["command"];
      const std::string word =
          command.substr(command.find(' ') + 1, command.find(' ', command.find(' ') + 1) - command.find(' ') - 1);
      EXPECT_TRUE(commands::Find(word) != nullptr) << command;
    }
  }
}

TEST(Diagnose, ReadsOneLogFile) {
  const auto run = RunAssay({CaseRun("crs-01") + "/slurm-123456.out", "--no-case", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(run.out)["run"]["id"], "slurm-123456.out");
}

}  // namespace
}  // namespace assay
