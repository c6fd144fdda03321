// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/tfrecord.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "tests/support/proto_bytes.h"

namespace assay {
namespace {

using testing::LittleEndian;
using testing::MaskedCrc;
using testing::TfRecord;
using Outcome = TfRecordReader::Outcome;

// Hands out as much as is asked for, and counts it.
class TextStream : public ByteStream {
 public:
  explicit TextStream(std::string text) : text_(std::move(text)) {}
  Result<std::size_t> Read(std::span<std::byte> into) override {
    if (fails_at_ && position_ >= *fails_at_) return Error{.message = "cannot read a file", .reason = "input/output error"};
    const std::size_t n = std::min(into.size(), text_.size() - position_);
    std::memcpy(into.data(), text_.data() + position_, n);
    position_ += n;
    largest_ = std::max(largest_, into.size());
    return n;
  }
  void FailAt(std::size_t position) { fails_at_ = position; }
  std::size_t largest() const { return largest_; }

 private:
  std::string text_;
  std::size_t position_ = 0;
  std::size_t largest_ = 0;
  std::optional<std::size_t> fails_at_;
};

std::string Text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

TEST(TfRecord, ReadsRecordsWithTheirPlaces) {
  TextStream stream(TfRecord("one") + TfRecord("") + TfRecord("three"));
  TfRecordReader reader(stream);
  ASSERT_EQ(reader.Next(), Outcome::kRecord);
  EXPECT_EQ(Text(reader.data()), "one");
  EXPECT_EQ(reader.offset(), 0U);
  EXPECT_EQ(reader.end(), 19U);
  ASSERT_EQ(reader.Next(), Outcome::kRecord);
  EXPECT_TRUE(reader.data().empty());
  ASSERT_EQ(reader.Next(), Outcome::kRecord);
  EXPECT_EQ(Text(reader.data()), "three");
  EXPECT_EQ(reader.offset(), 35U);
  EXPECT_EQ(reader.data_offset(), 47U);
  EXPECT_EQ(reader.Next(), Outcome::kEnd);
  EXPECT_EQ(reader.Next(), Outcome::kEnd);
}

TEST(TfRecord, AgreesWithAPublishedChecksum) {
  // The header of the first record of event files whose first record holds the file version alone.
  const std::string header = LittleEndian(24, 8) + std::string("\xa3\x7f\x4b\x22", 4);
  EXPECT_TRUE(StartsWithTfRecord(std::as_bytes(std::span(header))));
  EXPECT_FALSE(StartsWithTfRecord(std::as_bytes(std::span(header)).first(11)));
}

TEST(TfRecord, GoesOnBehindWrongDataAndStopsAtAWrongLength) {
  std::string bytes = TfRecord("first") + TfRecord("second") + TfRecord("third");
  bytes[12] = 'F';
  bytes[21 + 22] = static_cast<char>(bytes[21 + 22] ^ 1);
  TextStream stream(bytes);
  TfRecordReader reader(stream);
  EXPECT_EQ(reader.Next(), Outcome::kBadData);
  EXPECT_EQ(reader.offset(), 0U);
  EXPECT_EQ(reader.end(), 21U);
  ASSERT_EQ(reader.Next(), Outcome::kRecord);
  EXPECT_EQ(reader.Next(), Outcome::kBadLength);
  EXPECT_EQ(reader.offset(), 43U);
  EXPECT_EQ(reader.Next(), Outcome::kBadLength);
}

TEST(TfRecord, TellsACutFromTheEndAtEveryByte) {
  const std::string bytes = TfRecord("first") + TfRecord("second");
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    TextStream stream(bytes.substr(0, length));
    TfRecordReader reader(stream);
    Outcome outcome = Outcome::kRecord;
    std::size_t whole = 0;
    while ((outcome = reader.Next()) == Outcome::kRecord) ++whole;
    EXPECT_EQ(whole, length < 21 ? 0U : length < 43 ? 1U : 2U);
    const bool between = length == 0 || length == 21 || length == 43;
    EXPECT_EQ(outcome, between ? Outcome::kEnd : Outcome::kCut) << length;
    EXPECT_EQ(reader.end(), length);
    EXPECT_LE(reader.offset(), length);
  }
}

TEST(TfRecord, KnowsATailThatWasNeverWritten) {
  for (const std::size_t nuls : {5U, 12U, 4096U, 1'000'000U}) {
    TextStream stream(TfRecord("first") + std::string(nuls, '\0'));
    TfRecordReader reader(stream);
    ASSERT_EQ(reader.Next(), Outcome::kRecord);
    EXPECT_EQ(reader.Next(), Outcome::kNulTail);
    EXPECT_EQ(reader.offset(), 21U);
    EXPECT_EQ(reader.end(), 21U + nuls);
  }
  TextStream stream(std::string(100, '\0') + "x");
  TfRecordReader reader(stream);
  EXPECT_EQ(reader.Next(), Outcome::kBadLength);
}

TEST(TfRecord, ReadsRecordsLargerThanItsWindowAndStepsOverLargerOnes) {
  const std::string large(700'000, 'x');
  TextStream stream(TfRecord(large) + TfRecord(large + large) + TfRecord("last"));
  TfRecordReader reader(stream, 1'000'000);
  ASSERT_EQ(reader.Next(), Outcome::kRecord);
  EXPECT_EQ(Text(reader.data()), large);
  EXPECT_EQ(reader.Next(), Outcome::kOverlong);
  EXPECT_EQ(reader.end() - reader.offset(), 1'400'016U);
  ASSERT_EQ(reader.Next(), Outcome::kRecord);
  EXPECT_EQ(Text(reader.data()), "last");
  EXPECT_EQ(reader.Next(), Outcome::kEnd);
}

TEST(TfRecord, AHugeLengthCostsNoMemory) {
  for (const std::uint64_t claimed : {std::uint64_t{15} << 20U, std::uint64_t{1} << 40U, ~std::uint64_t{0}}) {
    const std::string length = LittleEndian(claimed, 8);
    TextStream stream(length + MaskedCrc(length) + "only a little");
    TfRecordReader reader(stream);
    EXPECT_EQ(reader.Next(), Outcome::kCut);
    EXPECT_EQ(reader.end(), 25U);
    EXPECT_LE(stream.largest(), std::size_t{256} << 10U);
  }
}

TEST(TfRecord, SaysWhyAFileCannotBeReadOn) {
  TextStream stream(TfRecord(std::string(300'000, 'x')) + TfRecord("second"));
  stream.FailAt(1);
  TfRecordReader reader(stream);
  EXPECT_EQ(reader.Next(), Outcome::kUnreadable);
  EXPECT_EQ(reader.error(), "input/output error");
}

}  // namespace
}  // namespace assay
