// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/byte_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

// Length of the valid sequence at the start, 0 when there is none.
std::size_t SequenceLength(const unsigned char* p, std::size_t left) {
  const auto continues = [&](std::size_t i) { return i < left && (p[i] & 0xC0U) == 0x80U; };
  const unsigned char c = p[0];
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c < 0xE0) return continues(1) ? 2 : 0;
  if (c >= 0xE0 && c < 0xF0) {
    if (!continues(1) || !continues(2) || (c == 0xE0 && p[1] < 0xA0) || (c == 0xED && p[1] >= 0xA0)) return 0;
    return 3;
  }
  if (c >= 0xF0 && c < 0xF5) {
    if (!continues(1) || !continues(2) || !continues(3) || (c == 0xF0 && p[1] < 0x90) || (c == 0xF4 && p[1] >= 0x90)) return 0;
    return 4;
  }
  return 0;
}

std::optional<std::size_t> FirstInvalidFrom(std::string_view bytes, std::size_t at) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  while (at < bytes.size()) {
    const std::size_t length = SequenceLength(p + at, bytes.size() - at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

void FindShortFrom(std::string_view bytes, std::size_t at, std::span<const std::string_view> wanted,
                   std::vector<std::size_t>& places) {
  for (; at < bytes.size(); ++at) {
    const auto begins = [&](std::string_view text) { return bytes[at] == text[0] && bytes.substr(at, text.size()) == text; };
    if (std::any_of(wanted.begin(), wanted.end(), begins)) places.push_back(at);
  }
}

#if defined(__x86_64__)

// Returns how far it came.
__attribute__((target("avx2"))) std::size_t FindShortAvx2(std::string_view bytes, std::span<const std::string_view> wanted,
                                                          std::vector<std::size_t>& places) {
  constexpr std::size_t kMost = 16;
  constexpr std::size_t kBlock = 64;
  struct Text {
    __m256i first;
    __m256i last;
    std::size_t to_last;  // 0 or 1
  };
  if (wanted.size() > kMost) return 0;
  std::array<Text, kMost> texts;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    texts[i] = {.first = _mm256_set1_epi8(wanted[i].front()),
                .last = _mm256_set1_epi8(wanted[i].back()),
                .to_last = wanted[i].size() - 1};
  }
  std::size_t at = 0;
  for (; at + kBlock < bytes.size(); at += kBlock) {
    const auto* const block = reinterpret_cast<const __m256i*>(bytes.data() + at);
    const __m256i here = _mm256_loadu_si256(block);
    const __m256i later = _mm256_loadu_si256(block + 1);
    __m256i any = _mm256_setzero_si256();
    __m256i any_later = _mm256_setzero_si256();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Text& text = texts[i];
      const auto* const last = reinterpret_cast<const __m256i*>(bytes.data() + at + text.to_last);
      const __m256i ends = _mm256_cmpeq_epi8(_mm256_loadu_si256(last), text.last);
      const __m256i ends_later = _mm256_cmpeq_epi8(_mm256_loadu_si256(last + 1), text.last);
      any = _mm256_or_si256(any, _mm256_and_si256(_mm256_cmpeq_epi8(here, text.first), ends));
      any_later = _mm256_or_si256(any_later, _mm256_and_si256(_mm256_cmpeq_epi8(later, text.first), ends_later));
    }
    auto found = std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(any_later))} << 32U |
                 static_cast<std::uint32_t>(_mm256_movemask_epi8(any));
    for (; found != 0; found &= found - 1) places.push_back(at + static_cast<std::size_t>(std::countr_zero(found)));
  }
  return at;
}

__attribute__((target("avx2"))) std::uint64_t CountAvx2(std::string_view bytes, char wanted) {
  const __m256i needle = _mm256_set1_epi8(wanted);
  std::uint64_t count = 0;
  std::size_t i = 0;
  while (i + 32 <= bytes.size()) {
    // Byte counters hold 255 rounds before they must be added up.
    const std::size_t end = std::min(bytes.size() - 31, i + std::size_t{32} * 255);
    __m256i counters = _mm256_setzero_si256();
    for (; i < end; i += 32) {
      const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes.data() + i));
      counters = _mm256_sub_epi8(counters, _mm256_cmpeq_epi8(block, needle));
    }
    const __m256i sums = _mm256_sad_epu8(counters, _mm256_setzero_si256());
    std::array<std::uint64_t, 4> lanes;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.data()), sums);
    count += lanes[0] + lanes[1] + lanes[2] + lanes[3];
  }
  if (i == bytes.size()) return count;
  if (bytes.size() < 32) return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), wanted));
  // The last block overlaps what was counted.
  const __m256i last = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes.data() + bytes.size() - 32));
  const auto equal = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(last, needle)));
  return count + static_cast<std::uint64_t>(std::popcount(equal >> (32 - (bytes.size() - i))));
}

// How many bytes from the start are surely valid: the classification of byte pairs by three table look-ups of J. Keiser and
// D. Lemire, "Validating UTF-8 in less than one instruction per byte" (2021). Stops before the block that holds a fault.
__attribute__((target("avx2"))) std::size_t ValidUtf8PrefixAvx2(std::string_view bytes) {
  constexpr char kTooShort = 1, kTooLong = 2, kOverlong3 = 4, kTooLarge1000 = 64, kSurrogate = 16, kOverlong2 = 32,
                 kOverlong4 = 64;
  constexpr char kTooLarge = 8, kTwoContinuations = static_cast<char>(0x80);
  constexpr char kCarry = static_cast<char>(kTooShort | kTooLong | kTwoContinuations);
  const __m256i first_high = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTwoContinuations,
                    kTwoContinuations, kTwoContinuations, kTwoContinuations, static_cast<char>(kTooShort | kOverlong2), kTooShort,
                    static_cast<char>(kTooShort | kOverlong3 | kSurrogate),
                    static_cast<char>(kTooShort | kTooLarge | kTooLarge1000 | kOverlong4)));
  const __m256i first_low = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      static_cast<char>(kCarry | kOverlong3 | kOverlong2 | kOverlong4), static_cast<char>(kCarry | kOverlong2), kCarry, kCarry,
      static_cast<char>(kCarry | kTooLarge), static_cast<char>(kCarry | kTooLarge | kTooLarge1000),
      static_cast<char>(kCarry | kTooLarge | kTooLarge1000), static_cast<char>(kCarry | kTooLarge | kTooLarge1000),
      static_cast<char>(kCarry | kTooLarge | kTooLarge1000), static_cast<char>(kCarry | kTooLarge | kTooLarge1000),
      static_cast<char>(kCarry | kTooLarge | kTooLarge1000), static_cast<char>(kCarry | kTooLarge | kTooLarge1000),
      static_cast<char>(kCarry | kTooLarge | kTooLarge1000), static_cast<char>(kCarry | kTooLarge | kTooLarge1000 | kSurrogate),
      static_cast<char>(kCarry | kTooLarge | kTooLarge1000), static_cast<char>(kCarry | kTooLarge | kTooLarge1000)));
  const char low_range = static_cast<char>(kTooLong | kOverlong2 | kTwoContinuations | kOverlong3 | kTooLarge1000 | kOverlong4);
  const char middle_range = static_cast<char>(kTooLong | kOverlong2 | kTwoContinuations | kOverlong3 | kTooLarge);
  const char high_range = static_cast<char>(kTooLong | kOverlong2 | kTwoContinuations | kSurrogate | kTooLarge);
  const __m256i second_high = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, low_range,
                    middle_range, high_range, high_range, kTooShort, kTooShort, kTooShort, kTooShort));
  const __m256i nibble = _mm256_set1_epi8(0x0F);
  __m256i previous = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32) {
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes.data() + i));
    const __m256i carried = _mm256_permute2x128_si256(previous, block, 0x21);
    const __m256i before1 = _mm256_alignr_epi8(block, carried, 15);
    const __m256i high1 = _mm256_and_si256(_mm256_srli_epi16(before1, 4), nibble);
    const __m256i low1 = _mm256_and_si256(before1, nibble);
    const __m256i high2 = _mm256_and_si256(_mm256_srli_epi16(block, 4), nibble);
    const __m256i special =
        _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(first_high, high1), _mm256_shuffle_epi8(first_low, low1)),
                         _mm256_shuffle_epi8(second_high, high2));
    const __m256i before2 = _mm256_alignr_epi8(block, carried, 14);
    const __m256i before3 = _mm256_alignr_epi8(block, carried, 13);
    const __m256i third = _mm256_subs_epu8(before2, _mm256_set1_epi8(static_cast<char>(0xE0 - 0x80)));
    const __m256i fourth = _mm256_subs_epu8(before3, _mm256_set1_epi8(static_cast<char>(0xF0 - 0x80)));
    const __m256i must_continue = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(static_cast<char>(0x80)));
    const __m256i error = _mm256_xor_si256(must_continue, special);
    if (_mm256_testz_si256(error, error) == 0) break;
    previous = block;
  }
  return i;
}

bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

#endif

}  // namespace

std::uint64_t CountByte(std::string_view bytes, char wanted) {
#if defined(__x86_64__)
  if (HasAvx2()) return CountAvx2(bytes, wanted);
#endif
  return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), wanted));
}

void FindShort(std::string_view bytes, std::span<const std::string_view> wanted, std::vector<std::size_t>& places) {
  std::size_t at = 0;
#if defined(__x86_64__)
  if (HasAvx2()) at = FindShortAvx2(bytes, wanted, places);
#endif
  FindShortFrom(bytes, at, wanted, places);
}

std::optional<std::size_t> FirstInvalidUtf8(std::string_view bytes) {
  std::size_t at = 0;
#if defined(__x86_64__)
  if (HasAvx2()) {
    at = ValidUtf8PrefixAvx2(bytes);
    // Back to the start of the last sequence: it may end behind the bytes that were passed.
    for (std::size_t back = 0; back < 4 && at > 0; ++back) {
      const auto byte = static_cast<unsigned char>(bytes[at - 1]);
      if (byte < 0x80) break;
      --at;
      if (byte >= 0xC0) break;
    }
  }
#endif
  return FirstInvalidFrom(bytes, at);
}

}  // namespace assay
