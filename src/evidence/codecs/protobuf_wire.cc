// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/protobuf_wire.h"

namespace assay {

bool ProtoReader::ReadLongVarint(std::uint64_t& value) {
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (position_ >= bytes_.size()) return false;
    const auto byte = static_cast<std::uint64_t>(bytes_[position_++]);
    result |= (byte & 0x7FU) << shift;  // of the tenth byte only one bit fits; writers of int64 set just that one
    if (byte < 0x80) {
      value = result;
      return true;
    }
  }
  return false;
}

// Groups left the language long ago, but a reader must still step over them. Their depth is counted, never recursed into.
bool ProtoReader::SkipGroup() {
  std::uint64_t depth = 1;
  while (depth > 0) {
    std::uint64_t key = 0;
    std::uint64_t ignored = 0;
    if (!ReadVarint(key)) return false;
    switch (static_cast<WireType>(key & 7U)) {
      case WireType::kVarint:
        if (!ReadVarint(ignored)) return false;
        break;
      case WireType::kFixed64:
        if (!ReadFixed<std::uint64_t>()) return false;
        break;
      case WireType::kFixed32:
        if (!ReadFixed<std::uint32_t>()) return false;
        break;
      case WireType::kBytes:
        if (!ReadVarint(ignored) || ignored > bytes_.size() - position_) return false;
        position_ += static_cast<std::size_t>(ignored);
        break;
      case WireType::kGroupStart: ++depth; break;
      case WireType::kGroupEnd: --depth; break;
      default: return false;
    }
  }
  return true;
}

}  // namespace assay
