// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a fact comes from, and which bytes say so.

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

// Index into FactStore's sources; the same artifact is one source, however often it is read.
enum class SourceId : std::uint32_t {};
inline constexpr SourceId kNoSource{0xFFFFFFFF};

enum class SourceKind {
  kArtifact,  // a file that the run left, or that was saved beside it
  kReading,   // a live reading of this machine; its text is captured in the case
};

struct Source {
  std::string path;           // relative to the project, absolute outside it; for a reading the command or file read
  std::string absolute_path;  // of an artifact; empty for a reading
  SourceKind kind = SourceKind::kArtifact;
  std::string format;       // id of the format that read it, or of the probe
  std::uint64_t size = 0;   // bytes on disk
  double modified = 0;      // seconds since the epoch, UTC
  bool compressed = false;  // offsets count decompressed bytes
  std::string captured;     // what a reading printed; empty for an artifact
};

// Half-open range of bytes. line is 1-based, 0 where the source has no lines or it is not known.
struct Citation {
  SourceId source = kNoSource;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t line = 0;
  friend bool operator==(const Citation&, const Citation&) = default;
};

// Damaged or odd input. Reading went on; what was lost is said. An anomaly is evidence, never an error.
enum class AnomalyKind {
  kTruncated,      // ends in the middle of a record
  kCorrupt,        // bytes that cannot be what they should be
  kEmpty,          // zero bytes where content was expected
  kLostBytes,      // a run of NUL bytes: written length without written data
  kBadEncoding,    // not UTF-8
  kOverlong,       // over a cap: skipped
  kUnreadable,     // could not be opened or read
  kContradiction,  // two places of one artifact disagree
  kMissing,        // expected and not there
};
const char* AnomalyName(AnomalyKind kind);

struct Anomaly {
  AnomalyKind kind = AnomalyKind::kCorrupt;
  Citation cite;
  std::uint64_t bytes_lost = 0;
  std::string statement;  // a full sentence
};

// "Not checked" is an answer of its own, beside found and not found.
struct NotChecked {
  std::string what;
  std::string why;
};

}  // namespace assay
