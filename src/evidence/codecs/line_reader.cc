// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/line_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/text.h"

namespace assay {
namespace {

constexpr std::size_t kFirstWindow = std::size_t{64} << 10U;
constexpr std::size_t kMaxLine = std::size_t{1} << 20U;
constexpr std::uint64_t kToldLines = 8;

}  // namespace

// Keeps the bytes from at_ on and reads more behind them. False when nothing came.
bool LineReader::Fill() {
  if (ended_) return false;
  if (at_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
    base_ += at_;
    filled_ -= at_;
    at_ = 0;
  }
  if (filled_ == buffer_.size()) buffer_.resize(std::max(kFirstWindow, std::min(buffer_.size() * 2, kMaxLine + 1)));
  if (filled_ == buffer_.size()) return false;
  const auto read = stream_.Read(std::span(buffer_).subspan(filled_));
  const std::size_t n = read.has_value() ? *read : 0;
  filled_ += n;
  ended_ = filled_ < buffer_.size();
  return n > 0;
}

// Reads over what is left of a line whose beginning was handed out.
void LineReader::FinishOverlongLine() {
  inside_overlong_ = false;
  for (;;) {
    if (at_ == filled_ && !ended_) {
      base_ += at_ + stream_.SkipHole(kMaxLine, std::numeric_limits<std::uint64_t>::max());
      at_ = filled_ = 0;
    }
    if (at_ == filled_ && !Fill()) return;
    const void* newline = std::memchr(buffer_.data() + at_, '\n', filled_ - at_);
    at_ = newline == nullptr ? filled_ : static_cast<std::size_t>(static_cast<const std::byte*>(newline) - buffer_.data()) + 1;
    if (newline != nullptr) return;
  }
}

std::optional<TextLine> LineReader::Next() {
  if (!started_) {
    started_ = true;
    if (Fill() && filled_ >= 3 && std::memcmp(buffer_.data(), "\xEF\xBB\xBF", 3) == 0) at_ = 3;
  }
  if (inside_overlong_) FinishOverlongLine();
  std::size_t looked_at = 0;  // bytes behind at_ that hold no newline
  const void* newline = nullptr;
  do {
    if (filled_ - at_ > looked_at) newline = std::memchr(buffer_.data() + at_ + looked_at, '\n', filled_ - at_ - looked_at);
    looked_at = filled_ - at_;
  } while (newline == nullptr && Fill());
  if (at_ == filled_) return std::nullopt;
  const std::size_t end =
      newline == nullptr ? filled_ : static_cast<std::size_t>(static_cast<const std::byte*>(newline) - buffer_.data());
  TextLine line{.text = {reinterpret_cast<const char*>(buffer_.data()) + at_, end - at_},
                .begin = base_ + at_,
                .number = ++number_,
                .complete = newline != nullptr,
                .overlong = newline == nullptr && !ended_};
  inside_overlong_ = line.overlong;
  at_ = newline == nullptr ? end : end + 1;
  if (line.complete && line.text.ends_with('\r')) line.text.remove_suffix(1);
  line.end = line.begin + line.text.size();
  return line;
}

void LineDamage::BadLine(const TextLine& line, std::string_view why) {
  const Citation cite{.source = source_, .begin = line.begin, .end = line.end, .line = line.number};
  if (++bad_ > kToldLines) {
    untold_bytes_ += line.end - line.begin;
    last_bad_ = cite;
    return;
  }
  const bool lost = line.text.find('\0') != std::string_view::npos;
  AnomalyKind kind = lost ? AnomalyKind::kLostBytes : AnomalyKind::kCorrupt;
  if (line.overlong) kind = AnomalyKind::kOverlong;
  facts_.AddAnomaly(
      {.kind = kind,
       .cite = cite,
       .bytes_lost = line.end - line.begin,
       .statement = "Line " + std::to_string(line.number) + " of " + what_ + " was left out: " + std::string(why) + "."});
}

void LineDamage::CutLine(const TextLine& line) {
  facts_.AddAnomaly({.kind = AnomalyKind::kTruncated,
                     .cite = {.source = source_, .begin = line.begin, .end = line.end, .line = line.number},
                     .bytes_lost = line.end - line.begin,
                     .statement = "The last line of " + what_ + " has no end; what touches the cut was not used."});
}

void LineDamage::Finish(const LineReader& lines) {
  if (bad_ > kToldLines) {
    facts_.AddAnomaly(
        {.kind = AnomalyKind::kCorrupt,
         .cite = last_bad_,
         .bytes_lost = untold_bytes_,
         .statement = Plural(bad_ - kToldLines, "more line") + " of " + what_ + " could not be used; this is the last of them."});
  }
  const Citation end{.source = source_, .begin = lines.size(), .end = lines.size()};
  if (!lines.damage().empty()) {
    facts_.AddAnomaly({.kind = AnomalyKind::kTruncated,
                       .cite = end,
                       .statement = "It cannot be read to the end of " + what_ + ": " + lines.damage() + "."});
  } else if (lines.size() == 0) {
    facts_.AddAnomaly(
        {.kind = AnomalyKind::kEmpty, .cite = end, .statement = "There is nothing in " + what_ + ": it has no bytes."});
  }
}

}  // namespace assay
