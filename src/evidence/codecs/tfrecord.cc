// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/tfrecord.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/hash.h"

namespace assay {
namespace {

constexpr std::size_t kWindow = std::size_t{256} << 10U;

std::uint32_t MaskedCrc(std::span<const std::byte> bytes) { return std::rotr(Crc32c(bytes), 15) + 0xA282EAD8U; }

template <class T>
T Load(const std::byte* from) {
  T value{};
  std::memcpy(&value, from, sizeof(T));
  return value;
}

bool AllNul(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

bool StartsWithTfRecord(std::span<const std::byte> bytes) {
  return bytes.size() >= TfRecordReader::kHeader && MaskedCrc(bytes.first(8)) == Load<std::uint32_t>(bytes.data() + 8);
}

TfRecordReader::TfRecordReader(ByteStream& stream, std::size_t max_record)
    : stream_(stream),
      max_record_(max_record),
      window_(kWindow) {}

bool TfRecordReader::Fill(std::size_t count) {
  if (begin_ > 0) {
    std::memmove(window_.data(), window_.data() + begin_, filled_ - begin_);
    filled_ -= begin_;
    begin_ = 0;
  }
  while (filled_ < count && !stream_ended_) {
    if (filled_ == window_.size()) window_.resize(std::min(count, window_.size() * 2));
    const std::span<std::byte> room = std::span(window_).subspan(filled_);
    const auto got = stream_.Read(room);
    if (!got.has_value()) {
      error_ = got.error().reason;
      stream_ended_ = true;
      break;
    }
    filled_ += *got;
    stream_ended_ = *got < room.size();
  }
  return filled_ >= count;
}

TfRecordReader::Outcome TfRecordReader::Last(Outcome outcome) {
  finished_ = true;
  data_ = {};
  last_ = error_.empty() ? outcome : Outcome::kUnreadable;
  return last_;
}

TfRecordReader::Outcome TfRecordReader::StepOver(std::uint64_t count) {
  while (count > 0) {
    if (begin_ == filled_) {
      const std::uint64_t hole = stream_.SkipHole(1, count);
      end_ += hole;
      count -= hole;
      if (count == 0) break;
    }
    if (!Ensure(1)) return Last(Outcome::kCut);
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(count, filled_ - begin_));
    begin_ += n;
    end_ += n;
    count -= n;
  }
  return Outcome::kOverlong;
}

TfRecordReader::Outcome TfRecordReader::ReadNuls() {
  bool all_nul = true;
  for (;;) {
    if (begin_ == filled_) end_ += stream_.SkipHole(1, std::numeric_limits<std::uint64_t>::max());
    if (!Ensure(1)) break;
    const auto rest = std::span(window_).subspan(begin_, filled_ - begin_);
    all_nul = all_nul && AllNul(rest);
    end_ += rest.size();
    begin_ = filled_;
  }
  return Last(all_nul ? Outcome::kNulTail : Outcome::kBadLength);
}

TfRecordReader::Outcome TfRecordReader::Next() {
  if (finished_) return last_;
  offset_ = end_;
  data_ = {};
  if (!Ensure(kHeader)) {
    const auto rest = std::span(window_).subspan(begin_, filled_ - begin_);
    if (rest.empty()) return Last(Outcome::kEnd);
    if (AllNul(rest)) return ReadNuls();
    end_ += rest.size();
    return Last(Outcome::kCut);
  }
  const std::span<const std::byte> header = std::span(window_).subspan(begin_, kHeader);
  if (!StartsWithTfRecord(header)) {
    if (AllNul(header)) return ReadNuls();
    end_ += kHeader;
    return Last(Outcome::kBadLength);
  }
  const auto length = Load<std::uint64_t>(header.data());
  if (length > max_record_) {
    begin_ += kHeader;
    end_ += kHeader;
    const Outcome outcome = StepOver(length);
    return outcome == Outcome::kOverlong ? StepOver(kFraming - kHeader) : outcome;
  }
  const std::size_t whole = static_cast<std::size_t>(length) + kFraming;
  if (!Ensure(whole)) {
    end_ += filled_ - begin_;
    return Last(Outcome::kCut);
  }
  data_ = std::span<const std::byte>(window_).subspan(begin_ + kHeader, static_cast<std::size_t>(length));
  const auto expected = Load<std::uint32_t>(data_.data() + data_.size());
  begin_ += whole;
  end_ += whole;
  return MaskedCrc(data_) == expected ? Outcome::kRecord : Outcome::kBadData;
}

}  // namespace assay
