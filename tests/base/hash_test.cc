// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace assay {
namespace {

std::uint32_t Crc(std::string_view text) { return Crc32c(std::as_bytes(std::span(text))); }

// Vectors of RFC 3720, appendix B.4.
TEST(Crc32c, AgreesWithTheStandardVectors) {
  EXPECT_EQ(Crc(std::string_view("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32)), 0x8A9136AAU);
  EXPECT_EQ(Crc(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(Crc("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc(""), 0U);
}

TEST(Sha256, AgreesWithTheStandardVector) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace assay
