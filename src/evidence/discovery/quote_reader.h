// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the bytes behind citations again: for the quotes of a report, and for `assay verify`.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/facts/source.h"
#include "platform/file_system.h"

namespace assay {

struct QuotedBytes {
  std::string bytes;       // at most 4 KiB of the cited range
  std::uint64_t line = 0;  // line of the first byte, 1-based; 0 for sources without lines
};

// One pass over the source for all of its citations. nullopt where the bytes are not there any more.
std::vector<std::optional<QuotedBytes>> ReadQuotes(const FileSystem& files, const Source& source,
                                                   const std::vector<Citation>& cites);

}  // namespace assay
