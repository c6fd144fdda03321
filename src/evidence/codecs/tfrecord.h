// SPDX-License-Identifier: Apache-2.0
#pragma once

// TfRecordReader: the records of a TFRecord file (TensorBoard event files), with both checksums. Each record is a u64 length,
// the masked CRC-32C of these 8 bytes, the data, and the masked CRC-32C of the data, all little-endian; masked means rotated
// right by 15 bits plus 0xA282EAD8 (tensorflow/core/lib/io/record_writer.h). A wrong length leaves no way to find the next
// record; wrong data does.
// Memory: one window of 256 KiB, which grows to `max_record` only as far as bytes really arrive.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/codecs/byte_stream.h"

namespace assay {

class TfRecordReader {
 public:
  enum class Outcome {
    kRecord,      // data() holds it
    kBadData,     // whole, but its checksum is wrong; reading may go on
    kOverlong,    // over `max_record`: stepped over without looking at its checksum; reading may go on
    kCut,         // the file ends inside this record
    kBadLength,   // the checksum of the length is wrong
    kNulTail,     // nothing but NUL bytes up to the end of the file
    kEnd,         // the file ends between two records
    kUnreadable,  // the file could not be read on; error() says why
  };

  explicit TfRecordReader(ByteStream& stream, std::size_t max_record = std::size_t{16} << 20U);

  // After anything below kOverlong there is nothing more to read: the same outcome comes again.
  Outcome Next();

  std::span<const std::byte> data() const { return data_; }  // valid until the next call
  std::uint64_t offset() const { return offset_; }           // of the record's first byte in the stream
  std::uint64_t end() const { return end_; }                 // behind its last one, as far as there are bytes
  std::uint64_t data_offset() const { return offset_ + kHeader; }
  const std::string& error() const { return error_; }

  static constexpr std::size_t kHeader = 12;   // length and its checksum
  static constexpr std::size_t kFraming = 16;  // and that of the data

 private:
  // Makes `count` bytes stand in the window from begin_ on; false when the stream has not so many.
  bool Ensure(std::size_t count) { return filled_ - begin_ >= count || Fill(count); }
  bool Fill(std::size_t count);
  Outcome StepOver(std::uint64_t count);
  Outcome ReadNuls();
  Outcome Last(Outcome outcome);

  ByteStream& stream_;
  std::size_t max_record_;
  std::vector<std::byte> window_;
  std::size_t begin_ = 0;  // of what was not read yet, in the window
  std::size_t filled_ = 0;
  bool stream_ended_ = false;
  bool finished_ = false;
  Outcome last_ = Outcome::kEnd;
  std::uint64_t offset_ = 0;
  std::uint64_t end_ = 0;
  std::span<const std::byte> data_;
  std::string error_;
};

// The 12 bytes at the start of `bytes` are a length and its right checksum.
bool StartsWithTfRecord(std::span<const std::byte> bytes);

}  // namespace assay
