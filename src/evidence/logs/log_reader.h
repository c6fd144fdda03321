// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads one text log in one pass of bounded windows and pushes what it says: signature hits, tracebacks, metric rows, progress
// bars and the log's shape. Memory: one buffer of 1 MiB and the hits in it, beside the facts.
//
// Lines that hold no literal of interest cost one SIMD pass and are never looked at singly. A last line without newline is
// provisional: a token that touches the cut is no fact. Of a line longer than the buffer only the beginning is read.

#include <cstddef>
#include <memory>
#include <span>

#include "evidence/codecs/byte_stream.h"
#include "evidence/facts/fact_store.h"

namespace assay {

struct LogOptions {
  Origin origin = Origin::kRunLog;
  bool metrics = true;                           // false: signatures and times only (kernel logs)
  std::size_t window = std::size_t{256} << 10U;  // bytes looked at together; changes speed, never a fact
};

struct LogTables;

class LogReader {
 public:
  // `user_signatures` are tried beside the shipped ones and must outlive the reader and every hit.
  explicit LogReader(std::span<const Signature> user_signatures = {});
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  void Read(ByteStream& stream, SourceId source, const LogOptions& options, FactStore& facts);

  // One for the whole program: building the literal tables costs milliseconds, so it happens once and only if a log is read.
  static LogReader& Shared();

 private:
  std::unique_ptr<LogTables> tables_;
};

}  // namespace assay
