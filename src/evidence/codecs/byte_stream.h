// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file as a sequence of bytes, as many as it had when it was opened, decompressed on the way (gzip with several members, zstd
// with several frames). Offsets count decompressed bytes. Memory: one compressed and one decompressor window, whatever the file's
// size.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "platform/file_system.h"

namespace assay {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills `into` as far as bytes are left; fewer bytes mean the end.
  virtual Result<std::size_t> Read(std::span<std::byte> into) = 0;
  // Steps over at most `most` zeros that no disk holds (RandomAccessFile::NextStored), where they are at least `least`, and says
  // over how many.
  virtual std::uint64_t SkipHole(std::uint64_t /*least*/, std::uint64_t /*most*/) { return 0; }
  // Why the stream ended before its own end ("the gzip stream is cut"), or empty. Ask after the end.
  virtual std::string damage() const { return {}; }
};

enum class Compression { kNone, kGzip, kZstd };
Compression SniffCompression(std::span<const std::byte> head);

// Owns nothing of `file`, which must outlive the stream. Starts at `offset` of the decompressed bytes: for compressed files
// everything before is decompressed and dropped.
std::unique_ptr<ByteStream> OpenStream(const RandomAccessFile& file, std::uint64_t offset = 0);

}  // namespace assay
