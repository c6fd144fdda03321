// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/whole_text.h"

#include <algorithm>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"

namespace assay {
namespace {

// Replaces what no text parser should see. Returns the offset of the first byte replaced, or npos.
std::size_t MakeText(std::string& text) {
  std::size_t first = std::string::npos;
  const auto replace = [&](std::size_t at) {
    text[at] = '?';
    first = std::min(first, at);
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      if ((lead < 0x20 && !IsSpace(text[i])) || lead == 0x7F) replace(i);
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (i + length <= text.size() && IsValidUtf8(std::string_view(text).substr(i, length))) {
      i += length;
    } else {
      replace(i++);
    }
  }
  return first;
}

}  // namespace

WholeText ReadWholeText(const RandomAccessFile& file, SourceId source, std::string_view what, std::size_t cap, FactStore& facts) {
  const auto stream = OpenStream(file);
  WholeText whole;
  std::string& text = whole.text;
  std::string damage;
  constexpr std::size_t kStep = std::size_t{64} << 10U;
  for (bool ended = false; !ended && text.size() <= cap;) {
    const std::size_t had = text.size();
    text.resize(had + kStep);
    const auto read = stream->Read(std::as_writable_bytes(std::span(text)).subspan(had));
    if (!read.has_value()) damage = read.error().reason;
    text.resize(had + (read.has_value() ? *read : 0));
    ended = text.size() < had + kStep;
  }
  if (damage.empty()) damage = stream->damage();
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.erase(0, 3);
    whole.base = 3;
  }
  const auto at = [&](std::uint64_t offset) {
    return Citation{.source = source, .begin = whole.base + offset, .end = whole.base + offset};
  };
  const std::string name(what);
  if (text.empty() && damage.empty()) {
    facts.AddAnomaly(
        {.kind = AnomalyKind::kEmpty, .cite = at(0), .statement = "There is nothing in " + name + ": it has no bytes."});
  }
  if (text.size() > cap) {
    // Whole lines only, so that no value is cut by our own hand.
    text.resize(cap);
    text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
    facts.AddAnomaly({.kind = AnomalyKind::kOverlong,
                      .cite = at(text.size()),
                      .statement = "Only the first " + FormatBytes(static_cast<double>(cap)) + " of " + name + " were read."});
    whole.whole = false;
  }
  if (!damage.empty()) {
    facts.AddAnomaly({.kind = AnomalyKind::kTruncated,
                      .cite = at(text.size()),
                      .statement = "It cannot be read to the end of " + name + ": " + damage + "."});
    whole.whole = false;
  }
  if (const std::size_t odd = MakeText(text); odd != std::string::npos) {
    facts.AddAnomaly({.kind = AnomalyKind::kBadEncoding,
                      .cite = at(odd),
                      .statement = "There are bytes in " + name + " that are no text; they were read as question marks."});
  }
  return whole;
}

}  // namespace assay
