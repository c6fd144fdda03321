// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/lenient_json.h"

#include "base/text.h"

namespace assay {
namespace {

constexpr std::size_t kWindow = std::size_t{64} << 10U;
constexpr std::size_t kWordBytes = 512;  // longer than any number that somebody wrote
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsBlank(int c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool EndsWord(int c) { return c < 0x21 || c == ',' || c == ']' || c == '}' || c == ':' || c == '"' || c == '[' || c == '{'; }

}  // namespace

JsonReader::JsonReader(ByteStream& stream, JsonLimits limits) : stream_(&stream), limits_(limits), buffer_(kWindow) {
  if (Fill() && window_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

JsonReader::JsonReader(std::string_view bytes, std::uint64_t base, std::uint64_t line, JsonLimits limits)
    : limits_(limits),
      window_(bytes),
      base_(base),
      line_(line),
      ended_(true) {}

// True when there is a byte to read.
bool JsonReader::Fill() {
  if (ended_) return false;
  base_ += window_.size();
  at_ = 0;
  const auto read = stream_->Read(buffer_);
  const std::size_t n = read.has_value() ? *read : 0;
  window_ = std::string_view(reinterpret_cast<const char*>(buffer_.data()), n);
  ended_ = n < buffer_.size();
  return n > 0;
}

void JsonReader::Take() {
  if (window_[at_] == '\n') ++line_;
  ++at_;
}

void JsonReader::SkipBlanks() {
  while (IsBlank(Peek())) Take();
}

JsonToken JsonReader::Fail(Failure failure, std::uint64_t offset, std::uint64_t line, std::string_view reason) {
  failure_ = failure;
  failure_offset_ = offset;
  failure_line_ = line;
  failure_reason_ = reason;
  if (failure == Failure::kTruncated && stream_ != nullptr && !stream_->damage().empty()) failure_reason_ = stream_->damage();
  return {.kind = JsonKind::kFailed, .begin = offset, .end = offset, .line = line};
}

JsonToken JsonReader::FailHere(std::string_view reason) {
  if (Peek() < 0) return Fail(Failure::kTruncated, offset(), line_, "it ends in the middle");
  return Fail(Failure::kMalformed, offset(), line_, reason);
}

JsonToken JsonReader::Open(JsonKind kind, bool object) {
  const std::uint64_t begin = offset();
  if (stack_.size() == limits_.depth) return Fail(Failure::kTooDeep, begin, line_, "its values are nested too deep");
  Take();
  stack_.push_back(object);
  expect_ = object ? Expect::kFirstKey : Expect::kFirstItem;
  return {.kind = kind, .begin = begin, .end = begin + 1, .line = line_};
}

JsonToken JsonReader::Close(JsonKind kind) {
  const std::uint64_t begin = offset();
  Take();
  stack_.pop_back();
  ValueDone();
  return {.kind = kind, .begin = begin, .end = begin + 1, .line = line_};
}

void JsonReader::ValueDone() {
  expect_ = stack_.empty() ? Expect::kNothing : stack_.back() ? Expect::kAfterMember : Expect::kAfterItem;
}

JsonToken JsonReader::Next() {
  if (failure_ != Failure::kNone)
    return {.kind = JsonKind::kFailed, .begin = failure_offset_, .end = failure_offset_, .line = failure_line_};
  SkipBlanks();
  int c = Peek();
  if (expect_ == Expect::kAfterMember || expect_ == Expect::kAfterItem) {
    const bool object = expect_ == Expect::kAfterMember;
    if (c == (object ? '}' : ']')) return Close(object ? JsonKind::kEndObject : JsonKind::kEndArray);
    if (c != ',')
      return FailHere(object ? "a comma or the end of an object is missing" : "a comma or the end of a list is missing");
    Take();
    SkipBlanks();
    c = Peek();
    expect_ = object ? Expect::kKey : Expect::kItem;
  }
  switch (expect_) {
    case Expect::kFirstKey:
    case Expect::kKey:
      if (c == '}' && expect_ == Expect::kFirstKey) return Close(JsonKind::kEndObject);
      if (c != '"') return FailHere("a key in quotes is missing");
      return Text(JsonKind::kKey);
    case Expect::kFirstItem:
      if (c == ']') return Close(JsonKind::kEndArray);
      return Value();
    case Expect::kNothing:
      if (c < 0) return {.kind = JsonKind::kEnd, .begin = offset(), .end = offset(), .line = line_};
      return FailHere("something follows the end of the document");
    default: return Value();
  }
}

JsonToken JsonReader::Value() {
  switch (Peek()) {
    case '{': return Open(JsonKind::kBeginObject, true);
    case '[': return Open(JsonKind::kBeginArray, false);
    case '"': return Text(JsonKind::kString);
    default: return Word();
  }
}

void JsonReader::Keep(char c) {
  if (text_.size() < limits_.string_bytes) {
    text_.push_back(c);
  } else {
    shortened_ = true;
  }
}

void JsonReader::KeepCode(std::uint32_t code) {
  if (code < 0x80) {
    Keep(static_cast<char>(code));
    return;
  }
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  Keep(static_cast<char>(kLead[tail] | code >> (6U * static_cast<unsigned>(tail))));
  for (int i = tail - 1; i >= 0; --i) Keep(static_cast<char>(0x80U | (code >> (6U * static_cast<unsigned>(i)) & 0x3FU)));
}

// Four hexadecimal digits, or -1.
std::int64_t JsonReader::HexQuad() {
  std::int64_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const int c = Peek();
    int digit = -1;
    if (c >= '0' && c <= '9') digit = c - '0';
    if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
    if (digit < 0) return -1;
    code = code * 16 + digit;
    Take();
  }
  return code;
}

// The backslash was taken. Halves of a surrogate pair that stand alone become U+FFFD.
bool JsonReader::Escape() {
  const int c = Peek();
  if (c < 0) return false;
  Take();
  switch (c) {
    case '"':
    case '\\':
    case '/': Keep(static_cast<char>(c)); return true;
    case 'b': Keep('\b'); return true;
    case 'f': Keep('\f'); return true;
    case 'n': Keep('\n'); return true;
    case 'r': Keep('\r'); return true;
    case 't': Keep('\t'); return true;
    case 'u': break;
    default: return false;
  }
  std::int64_t code = HexQuad();
  while (code >= 0xD800 && code < 0xDC00 && Peek() == '\\') {
    Take();
    if (Peek() != 'u') {
      KeepCode(0xFFFD);
      return Escape();
    }
    Take();
    const std::int64_t low = HexQuad();
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else {
      KeepCode(0xFFFD);
      code = low;
    }
  }
  if (code < 0) return false;
  KeepCode(code >= 0xD800 && code < 0xE000 ? 0xFFFD : static_cast<std::uint32_t>(code));
  return true;
}

JsonToken JsonReader::Text(JsonKind kind) {
  JsonToken token{.kind = kind, .begin = offset(), .line = line_};
  Take();
  text_.clear();
  shortened_ = false;
  for (;;) {
    const int c = Peek();
    // A line break inside a string is damage: without this a lost quote would swallow the rest of the file.
    if (c < 0 || (c < 0x20 && c != '\t')) return FailHere("a string is not closed on its line");
    Take();
    if (c == '"') break;
    if (c != '\\') {
      Keep(static_cast<char>(c));
    } else if (!Escape()) {
      return FailHere("a string holds an unknown escape");
    }
  }
  token.end = offset();
  token.text = text_;
  token.shortened = shortened_;
  if (kind == JsonKind::kString) {
    ValueDone();
    return token;
  }
  SkipBlanks();
  if (Peek() != ':') return FailHere("the colon behind a key is missing");
  Take();
  expect_ = Expect::kValue;
  return token;
}

JsonToken JsonReader::Word() {
  JsonToken token{.begin = offset(), .line = line_};
  text_.clear();
  while (!EndsWord(Peek())) {
    if (text_.size() < kWordBytes) text_.push_back(window_[at_]);
    Take();
  }
  if (Peek() < 0) return Fail(Failure::kTruncated, token.begin, token.line, "it ends in the middle");
  token.end = offset();
  token.text = text_;
  if (text_ == "true" || text_ == "false") {
    token.kind = JsonKind::kBool;
  } else if (text_ == "null") {
    token.kind = JsonKind::kNull;
  } else if (const auto number = ParseNumber(text_); number && token.end - token.begin <= kWordBytes) {
    token.kind = JsonKind::kNumber;
    token.number = *number;
  } else {
    return Fail(Failure::kMalformed, token.begin, token.line, "a value is missing or is none that JSON knows");
  }
  ValueDone();
  return token;
}

bool JsonReader::SkipContainer() {
  const std::size_t outside = stack_.size() - 1;
  while (stack_.size() > outside) {
    if (Next().kind == JsonKind::kFailed) return false;
  }
  return true;
}

bool JsonReader::SkipValue() {
  switch (Next().kind) {
    case JsonKind::kBeginObject:
    case JsonKind::kBeginArray: return SkipContainer();
    case JsonKind::kEndObject:
    case JsonKind::kEndArray:
    case JsonKind::kEnd:
    case JsonKind::kFailed: return false;
    default: return true;
  }
}

void ReportJsonFailure(const JsonReader& json, SourceId source, std::string_view what, FactStore& facts) {
  if (json.failure() == JsonReader::Failure::kNone) return;
  const Citation cite{
      .source = source, .begin = json.failure_offset(), .end = json.failure_offset(), .line = json.failure_line()};
  const std::string reason(json.failure_reason());
  const std::string place = "line " + std::to_string(json.failure_line());
  switch (json.failure()) {
    case JsonReader::Failure::kTruncated:
      facts.AddAnomaly(
          {.kind = AnomalyKind::kTruncated,
           .cite = cite,
           .statement = std::string(what) + " is cut in " + place + " (" + reason + "); what stands before it was read."});
      return;
    case JsonReader::Failure::kTooDeep:
      facts.AddAnomaly({.kind = AnomalyKind::kOverlong,
                        .cite = cite,
                        .statement = std::string(what) + " was read up to " + place + " only: " + reason + "."});
      return;
    default:
      facts.AddAnomaly({.kind = AnomalyKind::kCorrupt,
                        .cite = cite,
                        .statement = std::string(what) + " is no valid JSON in " + place + ": " + reason + "."});
  }
}

}  // namespace assay
