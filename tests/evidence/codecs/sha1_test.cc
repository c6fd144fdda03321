// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/sha1.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

std::string Hex(std::string_view text) {
  std::string out;
  for (const std::uint8_t b : Sha1(text)) {
    out += "0123456789abcdef"[b >> 4U];
    out += "0123456789abcdef"[b & 15U];
  }
  return out;
}

TEST(Sha1, AgreesWithTheStandardVectors) {
  EXPECT_EQ(Hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(Hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Hex(std::string(1000000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  EXPECT_EQ(Hex(std::string("blob 6\0hello\n", 13)), "ce013625030ba8dba906f756967f9e9ca394464a");  // git hash-object
}

}  // namespace
}  // namespace assay
