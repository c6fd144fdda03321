// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pull reader of JSON as training tools write it: RFC 8259 plus bare NaN, Infinity and -Infinity (Python's json module). It
// walks windows of a ByteStream, so that memory is one window, one string and one bit of stack a level, whatever the document's
// size. A document that ends too early is told from one that is wrong, each with its offset. Nothing is built: callers keep what
// they want.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/codecs/byte_stream.h"
#include "evidence/facts/fact_store.h"

namespace assay {

enum class JsonKind { kBeginObject, kEndObject, kBeginArray, kEndArray, kKey, kString, kNumber, kBool, kNull, kEnd, kFailed };

struct JsonToken {
  JsonKind kind = JsonKind::kFailed;
  std::string_view text;    // decoded, without quotes; as written for numbers, true, false and null. Dies with the next call
  double number = 0;        // of kNumber; NaN and infinities are numbers
  std::uint64_t begin = 0;  // bytes of the stream, quotes included
  std::uint64_t end = 0;
  std::uint64_t line = 0;  // 1-based, of `begin`
  bool shortened = false;  // the string is longer than the cap: `text` is its beginning
};

struct JsonLimits {
  std::size_t depth = 64;                             // containers inside each other
  std::size_t string_bytes = std::size_t{64} << 10U;  // kept of one string; the rest is read over
};

class JsonReader {
 public:
  enum class Failure {
    kNone,
    kTruncated,  // the bytes end inside the document; a bare word that touches the end counts as cut too
    kMalformed,
    kTooDeep,
  };

  // `stream` must outlive the reader.
  explicit JsonReader(ByteStream& stream, JsonLimits limits = {});
  // Reads `bytes`, which are borrowed and stand at `base` (line `line`) of the artifact.
  JsonReader(std::string_view bytes, std::uint64_t base, std::uint64_t line, JsonLimits limits = {});

  // The next token. After the end of the document kEnd, after a failure kFailed, again and again.
  JsonToken Next();
  // Reads over the value that comes next, with all that is inside; false when it failed or when a container ended instead.
  bool SkipValue();
  // Reads on to the end of the container whose opening token was the last one.
  bool SkipContainer();

  std::size_t depth() const { return stack_.size(); }
  Failure failure() const { return failure_; }
  std::uint64_t failure_offset() const { return failure_offset_; }
  std::uint64_t failure_line() const { return failure_line_; }
  std::string_view failure_reason() const {
    return failure_reason_;
  }  // half a sentence: "a comma or the end of an object is missing"

 private:
  enum class Expect { kDocument, kFirstKey, kKey, kValue, kAfterMember, kFirstItem, kItem, kAfterItem, kNothing };

  bool Fill();
  int Peek() { return at_ < window_.size() || Fill() ? static_cast<unsigned char>(window_[at_]) : -1; }
  void Take();
  void SkipBlanks();
  JsonToken Open(JsonKind kind, bool object);
  JsonToken Close(JsonKind kind);
  JsonToken Value();
  JsonToken Text(JsonKind kind);
  JsonToken Word();
  bool Escape();
  std::int64_t HexQuad();
  void Keep(char c);
  void KeepCode(std::uint32_t code);
  void ValueDone();
  JsonToken Fail(Failure failure, std::uint64_t offset, std::uint64_t line, std::string_view reason);
  JsonToken FailHere(std::string_view reason);
  std::uint64_t offset() const { return base_ + at_; }

  ByteStream* stream_ = nullptr;
  JsonLimits limits_;
  std::vector<std::byte> buffer_;
  std::string_view window_;
  std::size_t at_ = 0;      // next byte of the window
  std::uint64_t base_ = 0;  // offset of window_[0]
  std::uint64_t line_ = 1;
  bool ended_ = false;
  Expect expect_ = Expect::kDocument;
  std::vector<bool> stack_;  // true: object
  std::string text_;
  bool shortened_ = false;
  Failure failure_ = Failure::kNone;
  std::uint64_t failure_offset_ = 0;
  std::uint64_t failure_line_ = 0;
  std::string failure_reason_;
};

// Pushes the anomaly for a failed reader; nothing when it did not fail. `what` starts the sentence: "The trainer state".
void ReportJsonFailure(const JsonReader& json, SourceId source, std::string_view what, FactStore& facts);

}  // namespace assay
