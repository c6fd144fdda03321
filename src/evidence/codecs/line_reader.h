// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lines of a small or large text, one after the other, in windows of bounded size. For formats whose records are lines (CSV,
// JSON Lines, job scripts); logs have a reader of their own (logs/log_reader.h).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/codecs/byte_stream.h"
#include "evidence/facts/fact_store.h"

namespace assay {

struct TextLine {
  std::string_view text;     // without its newline or carriage return; dies with the next call
  std::uint64_t begin = 0;   // bytes of the stream
  std::uint64_t end = 0;     // of `text`
  std::uint64_t number = 0;  // 1-based
  bool complete = false;     // false: no newline follows, so that the last token may be cut
  bool overlong = false;     // longer than 1 MiB: `text` is its beginning
};

class LineReader {
 public:
  // `stream` must outlive the reader. A byte order mark at the start is left out.
  explicit LineReader(ByteStream& stream) : stream_(stream) {}
  std::optional<TextLine> Next();

  // After the last line: bytes in all, and why the stream ended before its own end, or empty.
  std::uint64_t size() const { return base_ + filled_; }
  std::string damage() const { return stream_.damage(); }

 private:
  bool Fill();
  void FinishOverlongLine();
  ByteStream& stream_;
  std::vector<std::byte> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t number_ = 0;
  bool ended_ = false;
  bool started_ = false;
  bool inside_overlong_ = false;
};

// Anomalies that every format of lines has in common, counted so that a ruined file does not give one for each line.
class LineDamage {
 public:
  // `what` stands inside the sentences: "the metrics file".
  LineDamage(std::string_view what, SourceId source, FactStore& facts) : what_(what), source_(source), facts_(facts) {}
  // A line that could not be used; `why` ends the sentence. The first eight are told one by one.
  void BadLine(const TextLine& line, std::string_view why);
  void CutLine(const TextLine& line);
  // After the last line: what was not told, damage of the stream, an empty file.
  void Finish(const LineReader& lines);

 private:
  std::string what_;
  SourceId source_;
  FactStore& facts_;
  std::uint64_t bad_ = 0;
  std::uint64_t untold_bytes_ = 0;
  Citation last_bad_;
};

}  // namespace assay
