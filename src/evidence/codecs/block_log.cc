// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/block_log.h"

#include <zlib.h>

#include <algorithm>

#include "base/byte_reader.h"

namespace assay {
namespace {

enum class ChunkType : std::uint8_t { kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

bool AllNul(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

std::uint32_t Crc32(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

}  // namespace

BlockLogReader::BlockLogReader(ByteStream& stream, std::size_t skip, std::size_t max_record)
    : stream_(stream),
      max_record_(max_record),
      at_(skip) {}

// False when there is no further block.
bool BlockLogReader::NextBlock() {
  if (last_block_) return false;
  if (started_) {
    block_offset_ += kBlock;
    at_ = 0;
  }
  started_ = true;
  filled_ = 0;
  const auto got = stream_.Read(block_);
  if (!got.has_value()) error_ = got.error().reason;
  filled_ = got.has_value() ? *got : 0;
  last_block_ = filled_ < kBlock;
  at_ = std::min(at_, filled_);
  return filled_ > 0;
}

BlockLogReader::Outcome BlockLogReader::Give(Outcome outcome, std::uint64_t end) {
  in_record_ = false;
  overlong_ = false;
  lost_start_ = outcome == Outcome::kBadChunk || outcome == Outcome::kNuls;
  end_ = end;
  return outcome;
}

// The file has no more bytes.
BlockLogReader::Outcome BlockLogReader::Finish() {
  finished_ = true;
  data_ = {};
  const bool cut = in_record_ || at_ < filled_;
  if (!in_record_) offset_ = place();
  end_ = block_offset_ + filled_;
  last_ = !error_.empty() ? Outcome::kUnreadable : cut ? Outcome::kCut : Outcome::kEnd;
  return last_;
}

// From a chunk header of NUL bytes to the next block that begins with something else.
BlockLogReader::Outcome BlockLogReader::ReadNuls() {
  if (!in_record_) offset_ = place();
  at_ = filled_;
  std::uint64_t end = block_offset_ + filled_;
  while (NextBlock()) {
    if (!AllNul(std::span(block_).first(std::min(filled_, kHeader)))) break;
    at_ = filled_;
    end = block_offset_ + filled_;
  }
  return Give(Outcome::kNuls, end);
}

BlockLogReader::Outcome BlockLogReader::Next() {
  if (finished_) return last_;
  record_.clear();
  data_ = {};
  for (;;) {
    if (!started_ || filled_ - at_ < kHeader) {
      const bool padding = !started_ || filled_ == kBlock || at_ == filled_;
      if (!padding || !NextBlock()) return Finish();
      continue;
    }
    const std::uint64_t start = place();
    const std::span<const std::byte> rest = std::span(block_).subspan(at_, filled_ - at_);
    if (AllNul(rest.first(kHeader))) return ReadNuls();
    ByteReader r(rest);
    const std::uint32_t crc = r.U32("checksum");
    const std::uint16_t length = r.U16("length");
    const auto type = static_cast<ChunkType>(r.U8("type"));
    if (length > rest.size() - kHeader && last_block_ && at_ + kHeader + length <= kBlock) {
      if (!in_record_) offset_ = start;
      in_record_ = true;
      at_ = filled_;
      return Finish();
    }
    if (length > rest.size() - kHeader || Crc32(rest.subspan(6, std::size_t{1} + length)) != crc) {
      if (!in_record_) offset_ = start;
      at_ = filled_;
      return Give(Outcome::kBadChunk, block_offset_ + filled_);
    }
    const std::span<const std::byte> part = rest.subspan(kHeader, length);
    const std::uint64_t next = start + kHeader + length;
    const bool opens = type == ChunkType::kWhole || type == ChunkType::kFirst;
    const bool goes_on = type == ChunkType::kMiddle || type == ChunkType::kLast;
    if (opens && in_record_) return Give(Outcome::kBadChunk, start);  // the record before was never finished; this chunk is next
    at_ += kHeader + length;
    if (goes_on && !in_record_ && lost_start_) continue;
    if (!opens && (!goes_on || !in_record_)) {
      if (!in_record_) offset_ = start;
      return Give(Outcome::kBadChunk, next);
    }
    if (opens) offset_ = start;
    if (type == ChunkType::kWhole) {
      data_ = part;
      return Give(Outcome::kRecord, next);
    }
    in_record_ = true;
    overlong_ = overlong_ || record_.size() + part.size() > max_record_;
    if (overlong_) {
      record_.clear();
    } else {
      record_.insert(record_.end(), part.begin(), part.end());
    }
    if (type == ChunkType::kLast) {
      data_ = record_;
      return Give(overlong_ ? Outcome::kOverlong : Outcome::kRecord, next);
    }
  }
}

}  // namespace assay
