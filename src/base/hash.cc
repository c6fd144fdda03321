// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <fmt/format.h>
#include <sodium/crypto_hash_sha256.h>

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace assay {
namespace {

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}();

std::uint32_t PortableCrc(std::uint32_t crc, std::span<const std::byte> bytes) {
  for (const std::byte b : bytes) crc = (crc >> 8U) ^ kTable[(crc ^ static_cast<std::uint32_t>(b)) & 0xFFU];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t HardwareCrc(std::uint32_t start, std::span<const std::byte> bytes) {
  std::uint64_t crc = start;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  // Each instruction waits for the one before: the fewer there are, the better.
  auto tail = static_cast<std::uint32_t>(crc);
  const auto take = [&]<class T>(T word) {
    std::memcpy(&word, bytes.data() + i, sizeof(T));
    i += sizeof(T);
    return word;
  };
  if ((bytes.size() & 4U) != 0) tail = _mm_crc32_u32(tail, take(std::uint32_t{}));
  if ((bytes.size() & 2U) != 0) tail = _mm_crc32_u16(tail, take(std::uint16_t{}));
  if ((bytes.size() & 1U) != 0) tail = _mm_crc32_u8(tail, take(std::uint8_t{}));
  return tail;
}
#endif

}  // namespace

std::uint32_t Crc32c(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2") != 0) return ~HardwareCrc(~0U, bytes);
#endif
  return ~PortableCrc(~0U, bytes);
}

std::string Sha256Hex(std::string_view bytes) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), std::bit_cast<const unsigned char*>(bytes.data()), bytes.size());
  std::string out;
  for (const unsigned char b : digest) out += fmt::format("{:02x}", static_cast<unsigned>(b));
  return out;
}

}  // namespace assay
