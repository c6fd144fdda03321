// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/block_log.h"

#include <gtest/gtest.h>

#include "tests/support/block_log_bytes.h"

namespace assay {
namespace {

using testing::BlockLogBytes;
using Outcome = BlockLogReader::Outcome;

constexpr std::size_t kSkip = 7;

struct Step {
  Outcome outcome;
  std::string data;
  std::uint64_t begin;
  std::uint64_t end;
  friend bool operator==(const Step&, const Step&) = default;
};

std::vector<Step> ReadAll(const std::string& bytes, std::size_t max_record = 1 << 20) {
  MemoryFileSystem files;
  files.Add("/f", bytes);
  const auto file = files.Open("/f");
  const auto stream = OpenStream(**file);
  BlockLogReader log(*stream, kSkip, max_record);
  std::vector<Step> steps;
  for (;;) {
    const Outcome outcome = log.Next();
    if (steps.size() > bytes.size()) {
      ADD_FAILURE() << "the reader does not come to an end";
      return steps;
    }
    steps.push_back({outcome, {reinterpret_cast<const char*>(log.data().data()), log.data().size()}, log.offset(), log.end()});
    EXPECT_LE(log.offset(), log.end());
    EXPECT_LE(log.end(), bytes.size());
    if (outcome == Outcome::kEnd || outcome == Outcome::kCut || outcome == Outcome::kUnreadable) {
      EXPECT_EQ(log.Next(), outcome);
      return steps;
    }
  }
}

std::vector<Outcome> Outcomes(const std::string& bytes) {
  std::vector<Outcome> out;
  for (const Step& step : ReadAll(bytes)) out.push_back(step.outcome);
  return out;
}

TEST(BlockLog, ReadsRecordsWithTheirPlaces) {
  BlockLogBytes log(std::string(kSkip, 'h'));
  log.Add("one");
  log.Add("");
  log.Add("three");
  const auto steps = ReadAll(log.bytes());
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[0], (Step{Outcome::kRecord, "one", 7, 17}));
  EXPECT_EQ(steps[1], (Step{Outcome::kRecord, "", 17, 24}));
  EXPECT_EQ(steps[2], (Step{Outcome::kRecord, "three", 24, 36}));
  EXPECT_EQ(steps[3].outcome, Outcome::kEnd);
}

TEST(BlockLog, JoinsWhatCrossesBlocksAndStepsOverPadding) {
  for (std::size_t first = 32768 - 7 - 7 - 20; first <= 32768 - 7 - 7; ++first) {
    BlockLogBytes log(std::string(kSkip, 'h'));
    log.Add(std::string(first, 'a'));
    log.Add(std::string(100'000, 'b'));
    log.Add("c");
    const auto steps = ReadAll(log.bytes());
    ASSERT_EQ(steps.size(), 4U) << first;
    EXPECT_EQ(steps[0].data, std::string(first, 'a'));
    EXPECT_EQ(steps[1].data, std::string(100'000, 'b'));
    EXPECT_EQ(steps[2].data, "c");
  }
}

TEST(BlockLog, TellsACutFromTheEndAtEveryByte) {
  BlockLogBytes log(std::string(kSkip, 'h'));
  log.Add("one");
  log.Add(std::string(70'000, 'x'));
  log.Add("three");
  const std::string bytes = log.bytes();
  const auto near_an_end = [&](std::size_t length) { return length < 100 || length + 100 > bytes.size(); };
  for (std::size_t length = 0; length <= bytes.size(); length += near_an_end(length) ? 1U : 97U) {
    const auto steps = ReadAll(bytes.substr(0, length));
    const bool between = length <= 7 || length == 17 || length == bytes.size() - 12 || length == bytes.size();
    EXPECT_EQ(steps.back().outcome, between ? Outcome::kEnd : Outcome::kCut) << length;
    EXPECT_EQ(steps.back().end, length);
    for (const Step& step : steps) EXPECT_NE(step.outcome, Outcome::kBadChunk) << length;
  }
}

TEST(BlockLog, GoesOnWithTheNextBlockAfterDamage) {
  BlockLogBytes log(std::string(kSkip, 'h'));
  log.Add("one");
  log.Add("two");
  log.Add(std::string(40'000, 'x'));
  log.Add("last");
  std::string bytes = log.bytes();
  bytes[17 + 7] = 'T';
  const auto steps = ReadAll(bytes);
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[0].data, "one");
  EXPECT_EQ(steps[1], (Step{Outcome::kBadChunk, "", 17, 32768}));
  EXPECT_EQ(steps[2].data, "last");  // the end of the long record belongs to what was lost
  EXPECT_EQ(steps[3].outcome, Outcome::kEnd);
}

TEST(BlockLog, KnowsWhatWasNeverWritten) {
  BlockLogBytes log(std::string(kSkip, 'h'));
  log.Add("one");
  EXPECT_EQ(Outcomes(log.bytes() + std::string(100'000, '\0')), (std::vector{Outcome::kRecord, Outcome::kNuls, Outcome::kEnd}));
  EXPECT_EQ(ReadAll(log.bytes() + std::string(100'000, '\0'))[1], (Step{Outcome::kNuls, "", 17, 100'017}));
  for (const std::size_t nuls : {7U, 8U, 42U, 32768U - 17U, 32768U - 16U, 32768U - 10U, 2U * 32768U - 17U}) {
    const auto steps = ReadAll(log.bytes() + std::string(nuls, '\0'));
    ASSERT_GE(steps.size(), 3U) << nuls;
    EXPECT_EQ(steps[1], (Step{Outcome::kNuls, "", 17, 17 + nuls}));
  }
  BlockLogBytes after("");
  after.Add("after");
  const std::string hole = log.bytes() + std::string(2 * 32768 - log.bytes().size(), '\0') + after.bytes();
  EXPECT_EQ(Outcomes(hole), (std::vector{Outcome::kRecord, Outcome::kNuls, Outcome::kRecord, Outcome::kEnd}));
}

TEST(BlockLog, PartsWithoutTheirRecordAreDamage) {
  const std::string header(kSkip, 'h');
  const auto chunk = [](int type, std::string_view data) { return BlockLogBytes::Chunk(type, data); };
  EXPECT_EQ(Outcomes(header + chunk(3, "middle") + chunk(1, "one")),
            (std::vector{Outcome::kBadChunk, Outcome::kRecord, Outcome::kEnd}));
  EXPECT_EQ(Outcomes(header + chunk(2, "first") + chunk(1, "one")),
            (std::vector{Outcome::kBadChunk, Outcome::kRecord, Outcome::kEnd}));
  EXPECT_EQ(Outcomes(header + chunk(9, "odd") + chunk(1, "one")),
            (std::vector{Outcome::kBadChunk, Outcome::kRecord, Outcome::kEnd}));
  EXPECT_EQ(Outcomes(header + chunk(2, "first")), std::vector{Outcome::kCut});
}

TEST(BlockLog, StepsOverRecordsThatAreTooLarge) {
  BlockLogBytes log(std::string(kSkip, 'h'));
  log.Add(std::string(300'000, 'x'));
  log.Add("small");
  const auto steps = ReadAll(log.bytes(), 100'000);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].outcome, Outcome::kOverlong);
  EXPECT_EQ(steps[0].data, "");
  EXPECT_EQ(steps[1].data, "small");
}

TEST(BlockLog, BearsEveryFlippedByte) {
  BlockLogBytes log(std::string(kSkip, 'h'));
  for (int i = 0; i < 20; ++i) log.Add(std::string(static_cast<std::size_t>(i), 'x'));
  const std::string bytes = log.bytes();
  for (std::size_t at = kSkip; at < bytes.size(); ++at) {
    for (const char pattern : {'\x01', '\x80', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ pattern);
      EXPECT_LE(ReadAll(damaged).size(), 21U);
    }
  }
}

}  // namespace
}  // namespace assay
