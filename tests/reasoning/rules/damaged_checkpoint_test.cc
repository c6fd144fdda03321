// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::ReadLogText;
using testing::Trace;

const std::string kLoad = Trace("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory");

FactStore WithCheckpoints(std::string_view log, const std::vector<std::pair<std::string, CheckpointFile::State>>& files) {
  FactStore facts = ReadLogText(log);
  for (const auto& [path, state] : files) {
    const SourceId source = facts.AddSource({.path = path});
    facts.Add(CheckpointFile{.state = state, .why = "the zip directory is missing", .cite = {.source = source, .end = 1}});
  }
  return facts;
}

TEST(DamagedCheckpoint, SeesACutFileThatTheRunOpened) {
  using State = CheckpointFile::State;
  EXPECT_TRUE(FindingsOf(WithCheckpoints(kLoad, {{"ckpt/last.pt", State::kCut}})).Has("ckpt-damaged"));
  EXPECT_TRUE(FindingsOf(WithCheckpoints("resuming from ckpt/b.pt\nResuming training from checkpoint: ckpt/b.pt\n" + kLoad,
                                         {{"ckpt/a.pt", State::kWhole}, {"ckpt/b.pt", State::kEmpty}}))
                  .Has("ckpt-damaged"));
}

TEST(DamagedCheckpoint, LeavesWholeFilesAndStrangersAlone) {
  using State = CheckpointFile::State;
  EXPECT_FALSE(FindingsOf(WithCheckpoints(kLoad, {{"ckpt/last.pt", State::kWhole}})).Has("ckpt-damaged"));
  EXPECT_FALSE(FindingsOf(WithCheckpoints(kLoad, {{"ckpt/last.pt", State::kUnknown}})).Has("ckpt-damaged"));
  EXPECT_FALSE(
      FindingsOf(WithCheckpoints(kLoad, {{"ckpt/a.pt", State::kCut}, {"ckpt/b.pt", State::kUnknown}})).Has("ckpt-damaged"));
}

}  // namespace
}  // namespace assay
