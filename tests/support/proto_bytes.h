// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bytes of protobuf messages and of TFRecord frames, written by hand for tests.

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace assay::testing {

// The low `bytes` bytes of `value`, lowest first.
inline std::string LittleEndian(std::uint64_t value, std::size_t bytes) { return {reinterpret_cast<const char*>(&value), bytes}; }

inline std::string Varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>(value | 0x80U);
  return out + static_cast<char>(value);
}
inline std::string VarintOf(std::uint32_t field, std::uint64_t value) {
  return Varint(std::uint64_t{field} << 3U) + Varint(value);
}
inline std::string BytesOf(std::uint32_t field, std::string_view bytes) {
  return Varint(std::uint64_t{field} << 3U | 2U) + Varint(bytes.size()) + std::string(bytes);
}
inline std::string DoubleOf(std::uint32_t field, double value) {
  return Varint(std::uint64_t{field} << 3U | 1U) + LittleEndian(std::bit_cast<std::uint64_t>(value), 8);
}
inline std::string FloatOf(std::uint32_t field, float value) {
  return Varint(std::uint64_t{field} << 3U | 5U) + LittleEndian(std::bit_cast<std::uint32_t>(value), 4);
}

inline std::string MaskedCrc(std::string_view text) {
  return LittleEndian(static_cast<std::uint32_t>(std::rotr(Crc32c(std::as_bytes(std::span(text))), 15) + 0xA282EAD8U), 4);
}
inline std::string TfRecord(std::string_view data) {
  const std::string length = LittleEndian(data.size(), 8);
  return length + MaskedCrc(length) + std::string(data) + MaskedCrc(data);
}

}  // namespace assay::testing
