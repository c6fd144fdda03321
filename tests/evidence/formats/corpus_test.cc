// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evidence/codecs/byte_stream.h"
#include "tests/support/reading.h"

// Replays every seed of the fuzzers through every format, not only its own: any file may be handed to any reader.
namespace assay {
namespace {

std::vector<std::string> CorpusFiles() {
  const RealFileSystem files;
  const std::string root = ASSAY_SOURCE_DIR "/fuzz/corpus";
  std::vector<std::string> out;
  const auto list = [&](const std::string& folder, FileKind kind) {
    std::vector<std::string> names;
    const Status listed = files.List(folder, [&](const DirectoryEntry& entry) {
      if (entry.kind == kind) names.push_back(JoinPath(folder, entry.name));
      return true;
    });
    EXPECT_TRUE(listed.has_value()) << folder;
    return names;
  };
  for (const std::string& folder : list(root, FileKind::kDirectory)) {
    for (std::string& path : list(folder, FileKind::kFile)) out.push_back(std::move(path));
  }
  return out;
}

// The fixture that the table names is there, and its reader takes it.
TEST(Corpus, EveryFormatKnowsItsSample) {
  for (const Format* format : formats::All()) {
    SCOPED_TRACE(format->id);
    const std::string bytes = testing::Fixture(format->sample);
    ASSERT_FALSE(bytes.empty());
    const Format* known =
        formats::Recognise({.path = format->sample,
                            .bytes = std::as_bytes(std::span(bytes)).first(std::min(bytes.size(), std::size_t{4096})),
                            .size = bytes.size()});
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->id, format->id);
  }
}

TEST(Corpus, EveryFormatBearsEverySeed) {
  const RealFileSystem files;
  const auto paths = CorpusFiles();
  EXPECT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    const auto bytes = ReadWholeFile(files, path, std::uint64_t{1} << 20U);
    ASSERT_TRUE(bytes.has_value()) << path;
    EXPECT_LE(bytes->size(), 4096U) << path << ": seeds are small";
    const bool plain = SniffCompression(std::as_bytes(std::span(*bytes))) == Compression::kNone;
    for (const Format* format : formats::All()) {
      SCOPED_TRACE(path + " as " + std::string(format->id));
      const FactStore facts = testing::ReadAs(*format, format->sample, *bytes);
      if (plain) testing::ExpectCitationsInside(facts, bytes->size());
    }
  }
}

}  // namespace
}  // namespace assay
