// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes a log in the block framing of wandb, for tests.

#include <zlib.h>

#include <string>
#include <string_view>

#include "tests/support/proto_bytes.h"

namespace assay::testing {

class BlockLogBytes {
 public:
  explicit BlockLogBytes(std::string file_header) : bytes_(std::move(file_header)) {}

  void Add(std::string_view record) {
    for (bool first = true, more = true; more; first = false) {
      std::size_t room = kBlock - bytes_.size() % kBlock;
      if (room < kHeader) {
        bytes_.append(room, '\0');
        room = kBlock;
      }
      const std::string_view part = record.substr(0, room - kHeader);
      record.remove_prefix(part.size());
      more = !record.empty();
      bytes_ += Chunk(first ? (more ? 2 : 1) : (more ? 3 : 4), part);
    }
  }
  const std::string& bytes() const { return bytes_; }

  static std::string Chunk(int type, std::string_view data) {
    const std::string body = static_cast<char>(type) + std::string(data);
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return LittleEndian(crc, 4) + LittleEndian(data.size(), 2) + body;
  }

 private:
  static constexpr std::size_t kBlock = 32768;
  static constexpr std::size_t kHeader = 7;
  std::string bytes_;
};

}  // namespace assay::testing
