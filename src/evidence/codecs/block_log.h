// SPDX-License-Identifier: Apache-2.0
#pragma once

// BlockLogReader: the records of a log in LevelDB's framing as wandb writes it. The file is a row of blocks of 32768 bytes,
// counted from its start; a record is one or more chunks, none of which crosses a block. A chunk is a u32 checksum, a u16
// length, a u8 type (1 whole record, 2 first part, 3 middle, 4 last) and the data; fewer than 7 bytes at the end of a block are
// padding. Unlike LevelDB, wandb's checksum is plain CRC-32 over type and data (wandb/sdk/internal/datastore.py).
// After damage reading goes on with the next block. Memory: one block and one record.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evidence/codecs/byte_stream.h"

namespace assay {

class BlockLogReader {
 public:
  enum class Outcome {
    kRecord,      // data() holds it
    kBadChunk,    // the bytes [offset(), end()) make no record; reading may go on
    kOverlong,    // a record over `max_record`; reading may go on
    kNuls,        // a stretch that was never written; reading may go on
    kCut,         // the file ends inside this record
    kEnd,         // the file ends between two records
    kUnreadable,  // the file could not be read on; error() says why
  };

  static constexpr std::size_t kBlock = 32768;
  static constexpr std::size_t kHeader = 7;

  // The first `skip` bytes of the first block are the file's own header.
  explicit BlockLogReader(ByteStream& stream, std::size_t skip, std::size_t max_record = std::size_t{16} << 20U);

  // After kCut, kEnd and kUnreadable the same outcome comes again.
  Outcome Next();

  std::span<const std::byte> data() const { return data_; }  // valid until the next call
  std::uint64_t offset() const { return offset_; }
  std::uint64_t end() const { return end_; }
  const std::string& error() const { return error_; }

 private:
  bool NextBlock();
  std::uint64_t place() const { return block_offset_ + at_; }
  Outcome Give(Outcome outcome, std::uint64_t end);
  Outcome Finish();
  Outcome ReadNuls();

  ByteStream& stream_;
  std::size_t max_record_;
  std::array<std::byte, kBlock> block_{};
  std::uint64_t block_offset_ = 0;
  std::size_t filled_ = 0;  // bytes of the block that the file has
  std::size_t at_ = 0;
  bool started_ = false;
  bool last_block_ = false;
  bool finished_ = false;
  Outcome last_ = Outcome::kEnd;
  std::vector<std::byte> record_;  // parts of a record so far
  bool in_record_ = false;
  bool overlong_ = false;
  bool lost_start_ = false;  // damage was told; parts that go on with a lost record are part of it
  std::span<const std::byte> data_;
  std::uint64_t offset_ = 0;
  std::uint64_t end_ = 0;
  std::string error_;
};

}  // namespace assay
