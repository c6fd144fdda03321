// SPDX-License-Identifier: Apache-2.0
#pragma once

// A format is one kind of artifact: how it is recognised and how it becomes facts. Each file of this folder is one entry; the
// build derives the table. A format pushes facts and anomalies into the store and does nothing else: it never prints, ranks or
// judges. Rules for every reader: no length field is trusted before it was checked against the bytes that are left; a cut tail
// is an anomaly kTruncated, bytes that cannot be are kCorrupt with their offset; memory is bounded whatever the file's size.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "evidence/facts/fact_store.h"
#include "platform/file_system.h"

namespace assay {

class LogReader;

// What a format sees of a file before it says whether it is its own.
struct ArtifactHead {
  std::string_view path;             // relative to the project
  std::span<const std::byte> bytes;  // the first 4 KiB, decompressed
  std::uint64_t size = 0;            // of the file on disk

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

struct Artifact {
  SourceId source = kNoSource;
  std::string_view path;  // relative to the project
  const RandomAccessFile& file;
  LogReader& logs;  // for what turns out to be a log
};

enum class Match { kNo, kMaybe, kYes };  // kMaybe: any text would do; the most certain format reads the file

struct Format {
  std::string_view id;
  std::string_view title;
  std::string_view typical_names;  // for people: "events.out.tfevents.*"
  std::string_view sample;         // path below tests/data/ of a file that exactly this format claims
  Match (*sniff)(const ArtifactHead& head);
  void (*read)(const Artifact& artifact, FactStore& facts);
};

namespace formats {
std::span<const Format* const> All();

// The format that claims the file most surely; nullptr when none does.
inline const Format* Recognise(const ArtifactHead& head) {
  const Format* best = nullptr;
  Match how = Match::kNo;
  for (const Format* format : All()) {
    const Match match = format->sniff(head);
    if (match > how) {
      best = format;
      how = match;
    }
  }
  return best;
}
}  // namespace formats

}  // namespace assay
