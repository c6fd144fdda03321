// SPDX-License-Identifier: Apache-2.0
#pragma once

// ProtoReader: the fields of one protobuf message, pulled one after the other from untrusted bytes. Nothing is allocated; every
// length is checked against the bytes that are left; nesting is as deep as the caller goes. Callers switch over key(), which
// holds number and wire type together, so that a field of the wrong type is an unknown field and never misread.
// Format: protobuf.dev/programming-guides/encoding.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace assay {

enum class WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroupStart = 3, kGroupEnd = 4, kFixed32 = 5 };

// What key() returns for a field of this number and type.
constexpr std::uint32_t ProtoKey(std::uint32_t number, WireType type) { return number << 3U | static_cast<std::uint32_t>(type); }
constexpr std::uint32_t VarintField(std::uint32_t number) { return ProtoKey(number, WireType::kVarint); }
constexpr std::uint32_t Fixed64Field(std::uint32_t number) { return ProtoKey(number, WireType::kFixed64); }
constexpr std::uint32_t Fixed32Field(std::uint32_t number) { return ProtoKey(number, WireType::kFixed32); }
constexpr std::uint32_t BytesField(std::uint32_t number) { return ProtoKey(number, WireType::kBytes); }

class ProtoReader {
 public:
  // `base` is the offset of bytes[0] in the artifact. The bytes are borrowed.
  explicit ProtoReader(std::span<const std::byte> bytes, std::uint64_t base = 0) : bytes_(bytes), base_(base) {}

  // Goes to the next field. False at the end of the message and at damage, which damaged() tells apart. Groups are skipped.
  bool Next() {
    while (position_ < bytes_.size()) {
      field_ = position_;
      std::uint64_t key = 0;
      if (!ReadVarint(key) || key > 0xFFFFFFFFU || key < 8) return Fail();
      key_ = static_cast<std::uint32_t>(key);
      switch (static_cast<WireType>(key & 7U)) {
        case WireType::kVarint: return ReadVarint(value_) || Fail();
        case WireType::kFixed64: return ReadFixed<std::uint64_t>() || Fail();
        case WireType::kFixed32: return ReadFixed<std::uint32_t>() || Fail();
        case WireType::kBytes:
          if (!ReadVarint(value_) || value_ > bytes_.size() - position_) return Fail();
          payload_ = position_;
          position_ += static_cast<std::size_t>(value_);
          return true;
        case WireType::kGroupStart:
          if (!SkipGroup()) return Fail();
          break;
        default: return Fail();
      }
    }
    return false;
  }

  std::uint32_t key() const { return key_; }
  // The value of the current field; each is meaningful for its own wire type only.
  std::uint64_t Uint64() const { return value_; }
  std::int64_t Int64() const { return static_cast<std::int64_t>(value_); }
  // Of a sint64 field, whose sign stands in the lowest bit.
  std::int64_t SignedInt64() const { return static_cast<std::int64_t>((value_ >> 1U) ^ (~(value_ & 1U) + 1U)); }
  double Double() const { return std::bit_cast<double>(value_); }
  float Float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(value_)); }
  std::span<const std::byte> Bytes() const { return bytes_.subspan(payload_, static_cast<std::size_t>(value_)); }
  std::string_view Text() const {
    return {reinterpret_cast<const char*>(bytes_.data()) + payload_, static_cast<std::size_t>(value_)};
  }
  ProtoReader Message() const { return ProtoReader(Bytes(), base_ + payload_); }

  // Offset in the artifact of the current field; after damage, of the field that is damaged.
  std::uint64_t offset() const { return base_ + field_; }
  bool damaged() const { return damaged_; }

  // One varint that stands by itself, as in packed repeated fields. False at the end and at damage.
  bool NextPackedVarint(std::uint64_t& value) {
    if (position_ >= bytes_.size()) return false;
    field_ = position_;
    return ReadVarint(value) || Fail();
  }

 private:
  bool ReadVarint(std::uint64_t& value) {
    if (position_ < bytes_.size() && static_cast<std::uint8_t>(bytes_[position_]) < 0x80) {
      value = static_cast<std::uint64_t>(bytes_[position_++]);
      return true;
    }
    return ReadLongVarint(value);
  }
  template <class T>
  bool ReadFixed() {
    if (sizeof(T) > bytes_.size() - position_) return false;
    T value{};
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    value_ = value;
    position_ += sizeof(T);
    return true;
  }
  bool ReadLongVarint(std::uint64_t& value);
  bool SkipGroup();
  bool Fail() {
    damaged_ = true;
    position_ = bytes_.size();
    return false;
  }

  std::span<const std::byte> bytes_;
  std::uint64_t base_;
  std::size_t position_ = 0;
  std::size_t field_ = 0;
  std::size_t payload_ = 0;
  std::uint32_t key_ = 0;
  std::uint64_t value_ = 0;
  bool damaged_ = false;
};

}  // namespace assay
