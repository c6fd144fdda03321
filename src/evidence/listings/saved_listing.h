// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the formats of saved listings have in common.

#include <string_view>

#include "evidence/facts/fact_store.h"
#include "evidence/logs/log_reader.h"
#include "evidence/listings/listing_reader.h"
#include "platform/file_system.h"

namespace assay {

// The head is a listing, and its first table is of this kind.
bool SniffSavedListing(std::string_view head, ListingKind kind);

// Reads the listing. A file that turns out to be a log with such output at its head is read as a log too, by `logs`.
void ReadSavedListing(const RandomAccessFile& file, SourceId source, std::string_view path, LogReader& logs, FactStore& facts);

}  // namespace assay
