// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a saved listing, whatever kinds of tool output stand in it, in one pass of bounded memory. Each line is offered to every
// kind; what none of them knows is counted, so that a log which merely begins with such output is noticed.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "evidence/codecs/byte_stream.h"
#include "evidence/facts/fact_store.h"

namespace assay {

enum class ListingKind { kDisk, kGpu, kHost, kScheduler };

struct ListingSurvey {
  std::optional<ListingKind> first;  // kind of the first line that was known
  std::uint64_t known = 0;           // lines of some table
  std::uint64_t neutral = 0;         // prompts, dates, blank lines
  std::uint64_t foreign = 0;         // anything else

  // Some lines between tables are what people add; more are a log.
  bool IsListing() const { return known > 0 && foreign <= 2 + known / 4; }
};

// `path` is said in belongs_because of the readings. `what` stands inside the sentences about damage: "the saved listing".
ListingSurvey ReadListing(ByteStream& stream, SourceId source, std::string_view path, FactStore& facts);

// Of a log: the boxed tables of nvidia-smi and those of df whose heads begin at these bytes, in rising order. What else stands in
// the log is none of this reader's business, and its damage has been told.
void ReadPrintedTables(ByteStream& stream, SourceId source, std::string_view path, std::span<const std::uint64_t> heads,
                       FactStore& facts);

// The same over the first bytes of a file, for recognising it; its last line may be cut.
ListingSurvey SurveyListing(std::string_view head);

}  // namespace assay
