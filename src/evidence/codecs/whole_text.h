// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small text file as a whole, for parsers that want all of it at once: decompressed, at most `cap` bytes, fit for a parser of
// text.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "evidence/facts/fact_store.h"
#include "platform/file_system.h"

namespace assay {

struct WholeText {
  std::string text;        // valid UTF-8 without NUL and control characters; what was none became '?', byte for byte
  std::uint64_t base = 0;  // offset of text[0] in the artifact: 3 behind a byte order mark
  bool whole = true;       // false: the cap or damage ended it
};

// Pushes an anomaly for an empty, overlong, damaged or wrongly encoded file; what could be read is returned all the same. `what`
// stands inside the sentences: "the YAML file".
WholeText ReadWholeText(const RandomAccessFile& file, SourceId source, std::string_view what, std::size_t cap, FactStore& facts);

}  // namespace assay
