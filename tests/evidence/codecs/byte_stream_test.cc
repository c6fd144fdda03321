// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/byte_stream.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <vector>

namespace assay {
namespace {

std::string Gzip(const std::string& text) {
  z_stream z{};
  EXPECT_EQ(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 1024, '\0');
  std::string in = text;
  z.next_in = reinterpret_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string Zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

struct Whole {
  std::string text;
  std::string damage;
};
Whole ReadAll(const std::string& bytes, std::uint64_t offset = 0) {
  MemoryFileSystem files;
  files.Add("/f", bytes);
  const auto file = files.Open("/f");
  const auto stream = OpenStream(**file, offset);
  Whole whole;
  std::vector<std::byte> buffer(7);
  for (;;) {
    const auto n = stream->Read(buffer);
    if (!n.has_value() || *n == 0) break;
    whole.text.append(reinterpret_cast<const char*>(buffer.data()), *n);
  }
  whole.damage = stream->damage();
  return whole;
}

TEST(ByteStream, ReadsPlainGzipAndZstdAlike) {
  const std::string text = "one\ntwo\nthree\n";
  for (const std::string& bytes : {text, Gzip(text), Zstd(text)}) {
    EXPECT_EQ(ReadAll(bytes).text, text);
    EXPECT_EQ(ReadAll(bytes, 4).text, "two\nthree\n");
    EXPECT_EQ(ReadAll(bytes).damage, "");
  }
}

TEST(ByteStream, ReadsOnThroughSeveralMembers) {
  EXPECT_EQ(ReadAll(Gzip("a\n") + Gzip("b\n")).text, "a\nb\n");
  EXPECT_EQ(ReadAll(Zstd("a\n") + Zstd("b\n")).text, "a\nb\n");
}

TEST(ByteStream, SaysThatACompressedFileIsCut) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  for (const std::string& bytes : {Gzip(text), Zstd(text)}) {
    const Whole whole = ReadAll(bytes.substr(0, bytes.size() / 2));
    EXPECT_NE(whole.damage.find("is cut"), std::string::npos) << whole.damage;
    EXPECT_TRUE(text.starts_with(whole.text));
  }
}

TEST(ByteStream, StopsAtDamage) {
  std::string bytes = Gzip(std::string(20000, 'x') + std::string(20000, 'y'));
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  EXPECT_FALSE(ReadAll(bytes).damage.empty());
}

}  // namespace
}  // namespace assay
