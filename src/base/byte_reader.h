// SPDX-License-Identifier: Apache-2.0
#pragma once

// ByteReader: little-endian reads from untrusted bytes with a sticky error. After the first short read every further read
// yields zero and remaining() is 0; check failed() once per record. The span is borrowed and must outlive the reader.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace assay {

static_assert(std::endian::native == std::endian::little, "readers copy little-endian fields as they lie in the file");

class ByteReader {
 public:
  // `base` is the offset of bytes[0] in the artifact, so that errors name the artifact's own offsets.
  explicit ByteReader(std::span<const std::byte> bytes, std::uint64_t base = 0) : bytes_(bytes), base_(base) {}

  std::uint8_t U8(std::string_view field) { return Read<std::uint8_t>(field); }
  std::uint16_t U16(std::string_view field) { return Read<std::uint16_t>(field); }
  std::uint32_t U32(std::string_view field) { return Read<std::uint32_t>(field); }
  std::uint64_t U64(std::string_view field) { return Read<std::uint64_t>(field); }

  // The next `count` bytes, or an empty span and a failed reader.
  std::span<const std::byte> Bytes(std::uint64_t count, std::string_view field) {
    if (count > remaining()) return Fail(field), std::span<const std::byte>{};
    const auto out = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += static_cast<std::size_t>(count);
    return out;
  }
  void Skip(std::uint64_t count, std::string_view field) { (void)Bytes(count, field); }

  std::uint64_t remaining() const { return failed_ ? 0 : bytes_.size() - position_; }
  std::uint64_t offset() const { return base_ + position_; }  // in the artifact
  bool failed() const { return failed_; }
  std::uint64_t failed_offset() const { return failed_offset_; }   // meaningful after failed()
  std::string_view failed_field() const { return failed_field_; }  // the field that was cut

 private:
  template <class T>
  T Read(std::string_view field) {
    T value{};
    if (sizeof(T) > remaining()) return Fail(field), value;
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }
  void Fail(std::string_view field) {
    if (failed_) return;
    failed_ = true;
    failed_offset_ = base_ + position_;
    failed_field_ = field;
  }

  std::span<const std::byte> bytes_;
  std::uint64_t base_;
  std::size_t position_ = 0;
  bool failed_ = false;
  std::uint64_t failed_offset_ = 0;
  std::string_view failed_field_;
};

}  // namespace assay
