// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/byte_stream.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <vector>

namespace assay {
namespace {

constexpr std::size_t kInput = std::size_t{128} << 10U;
constexpr std::uint64_t kMaxRatio = 1000;
constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{1} << 30U;  // no ratio is suspicious below this much output

class PlainStream : public ByteStream {
 public:
  PlainStream(const RandomAccessFile& file, std::uint64_t offset) : file_(file), offset_(offset) {}
  // A file that is being written ends where it ended when it was opened, or a fast writer would never let the reader end. Files
  // of the kernel say size 0.
  Result<std::size_t> Read(std::span<std::byte> into) override {
    const std::uint64_t size = file_.size();
    if (size > 0) into = into.first(std::min<std::uint64_t>(into.size(), size - std::min(size, offset_)));
    ASSAY_TRY(const std::size_t n, file_.ReadAt(offset_, into));
    offset_ += n;
    return n;
  }
  std::uint64_t SkipHole(std::uint64_t least, std::uint64_t most) override {
    const std::uint64_t hole = file_.NextStored(offset_) - offset_;
    if (hole < least) return 0;
    const std::uint64_t skipped = std::min(hole, most);
    offset_ += skipped;
    return skipped;
  }

 private:
  const RandomAccessFile& file_;
  std::uint64_t offset_;
};

// The common part of both decompressors: feeding compressed input and watching the expansion.
class InflatingStream : public ByteStream {
 public:
  InflatingStream(const RandomAccessFile& file, std::string name) : file_(file), name_(std::move(name)), input_(kInput) {}

  Result<std::size_t> Read(std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size() && !finished_) {
      if (available_ == 0 && !input_ended_) {
        ASSAY_TRY(available_, file_.ReadAt(consumed_, input_));
        begin_ = 0;
        consumed_ += available_;
        input_ended_ = available_ == 0;
      }
      const std::size_t n = Inflate(into.subspan(done));
      done += n;
      produced_ += n;
      if (produced_ > kAlwaysAllowed && produced_ / kMaxRatio > consumed_) {
        Stop("expands more than 1000 times; the rest was not read");
      }
      if (n == 0 && input_ended_ && !finished_) {
        if (in_the_middle_) damage_ = "the " + name_ + " stream is cut";
        finished_ = true;
      }
    }
    return done;
  }
  std::string damage() const override { return damage_; }

 protected:
  virtual std::size_t Inflate(std::span<std::byte> into) = 0;  // consumes from Pending()
  std::span<const std::byte> Pending() const { return std::span(input_).subspan(begin_, available_); }
  void Consume(std::size_t n) {
    begin_ += n;
    available_ -= n;
  }
  void Stop(const std::string& why) {
    damage_ = "the " + name_ + " stream " + why;
    finished_ = true;
  }
  void SetInTheMiddle(bool value) { in_the_middle_ = value; }

 private:
  const RandomAccessFile& file_;
  std::string name_;
  std::vector<std::byte> input_;
  std::size_t begin_ = 0;
  std::size_t available_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint64_t produced_ = 0;
  bool input_ended_ = false;
  bool in_the_middle_ = false;
  bool finished_ = false;
  std::string damage_;
};

class GzipStream : public InflatingStream {
 public:
  explicit GzipStream(const RandomAccessFile& file) : InflatingStream(file, "gzip") {
    ready_ = inflateInit2(&z_, 15 + 16) == Z_OK;  // 15 bits of window, gzip wrapper
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { inflateEnd(&z_); }

 protected:
  std::size_t Inflate(std::span<std::byte> into) override {
    if (!ready_) return Stop("could not be opened"), 0;
    const auto pending = Pending();
    if (pending.empty()) return 0;
    // zlib's interface is not const-correct; it does not write to its input.
    z_.next_in =
        const_cast<Bytef*>(reinterpret_cast<const Bytef*>(pending.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    z_.avail_in = static_cast<uInt>(pending.size());
    z_.next_out = reinterpret_cast<Bytef*>(into.data());
    z_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), 1U << 30U));
    const uInt before = z_.avail_out;
    SetInTheMiddle(true);
    const int code = inflate(&z_, Z_NO_FLUSH);
    Consume(pending.size() - z_.avail_in);
    const std::size_t made = before - z_.avail_out;
    if (code == Z_STREAM_END) {
      SetInTheMiddle(false);  // another member may follow
      inflateReset(&z_);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      Stop("is damaged");
    }
    return made;
  }

 private:
  z_stream z_{};
  bool ready_ = false;
};

class ZstdStream : public InflatingStream {
 public:
  explicit ZstdStream(const RandomAccessFile& file) : InflatingStream(file, "zstd"), context_(ZSTD_createDStream()) {
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, 27);  // 128 MiB: what `zstd` itself accepts
  }
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;
  ~ZstdStream() override { ZSTD_freeDStream(context_); }

 protected:
  std::size_t Inflate(std::span<std::byte> into) override {
    const auto pending = Pending();
    ZSTD_inBuffer in{pending.data(), pending.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const std::size_t code = ZSTD_decompressStream(context_, &out, &in);
    Consume(in.pos);
    if (ZSTD_isError(code) != 0) {
      Stop("is damaged");
    } else if (in.pos > 0 || out.pos > 0) {
      SetInTheMiddle(code != 0);  // asked without input between two frames, it would want the next header
    }
    return out.pos;
  }

 private:
  ZSTD_DStream* context_;
};

}  // namespace

Compression SniffCompression(std::span<const std::byte> head) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned>(head[i]); };
  if (head.size() >= 3 && at(0) == 0x1F && at(1) == 0x8B && at(2) == 8) return Compression::kGzip;
  if (head.size() >= 4 && at(0) == 0x28 && at(1) == 0xB5 && at(2) == 0x2F && at(3) == 0xFD) return Compression::kZstd;
  return Compression::kNone;
}

std::unique_ptr<ByteStream> OpenStream(const RandomAccessFile& file, std::uint64_t offset) {
  std::array<std::byte, 4> head{};
  const auto got = file.ReadAt(0, head);
  const Compression compression = got.has_value() ? SniffCompression(std::span(head).first(*got)) : Compression::kNone;
  if (compression == Compression::kNone) return std::make_unique<PlainStream>(file, offset);
  std::unique_ptr<ByteStream> stream;
  if (compression == Compression::kGzip) {
    stream = std::make_unique<GzipStream>(file);
  } else {
    stream = std::make_unique<ZstdStream>(file);
  }
  std::vector<std::byte> dropped(std::size_t{64} << 10U);
  while (offset > 0) {
    const auto n = stream->Read(std::span(dropped).first(std::min<std::uint64_t>(dropped.size(), offset)));
    if (!n.has_value() || *n == 0) break;
    offset -= *n;
  }
  return stream;
}

}  // namespace assay
