// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/protobuf_wire.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <memory>
#include <string>

namespace assay {
namespace {

ProtoReader Reader(std::string_view bytes, std::uint64_t base = 0) { return ProtoReader(std::as_bytes(std::span(bytes)), base); }

constexpr std::string_view kMessage(
    "\x08\x96\x01"              // 1: varint 150
    "\x11\0\0\0\0\0\0\xf8\x3f"  // 2: double 1.5
    "\x1a\x03"                  // 3: text "abc"
    "abc"
    "\x25\0\0\x20\x40",  // 4: float 2.5
    22);

TEST(ProtoReader, ReadsEveryWireType) {
  ProtoReader r = Reader(kMessage, 1000);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.key(), VarintField(1));
  EXPECT_EQ(r.Uint64(), 150U);
  EXPECT_EQ(r.offset(), 1000U);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.key(), Fixed64Field(2));
  EXPECT_EQ(r.Double(), 1.5);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.key(), BytesField(3));
  EXPECT_EQ(r.Text(), "abc");
  EXPECT_EQ(r.offset(), 1012U);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.key(), Fixed32Field(4));
  EXPECT_EQ(r.Float(), 2.5F);
  EXPECT_FALSE(r.Next());
  EXPECT_FALSE(r.damaged());
}

TEST(ProtoReader, ReadsNegativeAndExtremeNumbers) {
  ProtoReader r =
      Reader(std::string_view("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                              "\x08\x03"
                              "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
                              24));
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.Int64(), -1);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.SignedInt64(), -2);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.Int64(), std::numeric_limits<std::int64_t>::min());
}

TEST(ProtoReader, ASubMessageKeepsTheOffsetsOfTheArtifact) {
  ProtoReader outer = Reader("\x0a\x02\x08\x07", 50);
  ASSERT_TRUE(outer.Next());
  ProtoReader inner = outer.Message();
  ASSERT_TRUE(inner.Next());
  EXPECT_EQ(inner.Uint64(), 7U);
  EXPECT_EQ(inner.offset(), 52U);
}

TEST(ProtoReader, StepsOverGroupsHoweverDeep) {
  std::string bytes(100'000, '\x0b');
  bytes += std::string(100'000, '\x0c');
  bytes += "\x08\x05";
  ProtoReader r = Reader(bytes);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.Uint64(), 5U);
  ProtoReader open = Reader(std::string_view(bytes).substr(0, 100'000));
  EXPECT_FALSE(open.Next());
  EXPECT_TRUE(open.damaged());
}

TEST(ProtoReader, SaysWhereItIsDamaged) {
  struct Case {
    std::string_view bytes;
    std::uint64_t where;
  };
  for (const Case& c :
       {Case{"\x08\x01\x12\x7f", 2}, Case{"\x08\x01\x08", 2}, Case{"\x08\x01\x0f", 2}, Case{"\x08\x01\x0c", 2},
        Case{std::string_view("\x08\x01\x00", 3), 2}, Case{"\x08\x01\x09\x01", 2}, Case{"\x08\x01\x0d\x01", 2},
        Case{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 0}, Case{"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 0}}) {
    ProtoReader r = Reader(c.bytes);
    while (r.Next()) {
    }
    EXPECT_TRUE(r.damaged());
    EXPECT_EQ(r.offset(), c.where);
    EXPECT_FALSE(r.Next());
  }
}

TEST(ProtoReader, BearsEveryCut) {
  for (std::size_t length = 0; length <= kMessage.size(); ++length) {
    const auto exact = std::make_unique<std::byte[]>(length);  // exactly sized, for AddressSanitizer
    std::memcpy(exact.get(), kMessage.data(), length);
    ProtoReader r(std::span<const std::byte>(exact.get(), length));
    while (r.Next()) (void)r.key();
    EXPECT_EQ(r.damaged(), length != 0 && length != 3 && length != 12 && length != 17 && length != kMessage.size()) << length;
  }
}

RC_GTEST_PROP(ProtoReaderProperties, BearsEveryMessage, (const std::vector<std::uint8_t>& message)) {
  const auto exact = std::make_unique<std::byte[]>(message.size());
  std::copy(message.begin(), message.end(), reinterpret_cast<std::uint8_t*>(exact.get()));
  ProtoReader r(std::span<const std::byte>(exact.get(), message.size()));
  std::size_t fields = 0;
  while (r.Next()) {
    ++fields;
    if ((r.key() & 7U) == static_cast<unsigned>(WireType::kBytes)) RC_ASSERT(r.Bytes().size() <= message.size());
  }
  RC_ASSERT(fields <= message.size());
}

TEST(ProtoReader, ReadsPackedVarints) {
  ProtoReader r = Reader("\x01\x96\x01");
  std::uint64_t value = 0;
  ASSERT_TRUE(r.NextPackedVarint(value));
  EXPECT_EQ(value, 1U);
  ASSERT_TRUE(r.NextPackedVarint(value));
  EXPECT_EQ(value, 150U);
  EXPECT_FALSE(r.NextPackedVarint(value));
  EXPECT_FALSE(r.damaged());
}

}  // namespace
}  // namespace assay
