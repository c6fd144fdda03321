// SPDX-License-Identifier: Apache-2.0
#pragma once

// One reading of one log: windows of whole lines in, facts out. A unit is what stands between two line ends or carriage returns;
// units without a literal of interest are never looked at, except while a traceback, a table or a dump of arguments is open.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"
#include "evidence/logs/argument_dump.h"
#include "evidence/logs/line_prefix.h"
#include "evidence/logs/log_reader.h"
#include "evidence/logs/log_tables.h"
#include "evidence/logs/metric_collector.h"
#include "evidence/logs/progress_bar.h"
#include "evidence/logs/terminal_replay.h"
#include "evidence/logs/traceback_reader.h"

namespace assay {

class LogSession {
 public:
  // Everything is borrowed and must outlive the session.
  LogSession(LogTables& tables, SourceId source, const LogOptions& options, FactStore& facts);

  void SetLayout(const PeelOptions& layout) { layout_ = layout; }
  // Whole lines, each ended by a newline or a carriage return except the very last one of the log and pieces of overlong lines.
  void Window(std::string_view window, std::uint64_t offset);
  // Call before the window that ends in the middle of a line because the line is too long to be held.
  void Overlong(std::uint64_t offset, std::size_t length);
  // Zeros that were not read, in the middle of a line.
  void Hole(std::uint64_t offset, std::uint64_t length);
  // After the last window; `damage` says why the stream ended early, or is empty.
  void Finish(const std::string& damage);

 private:
  using Hit = LiteralScanner::Hit;
  struct RankState {
    TracebackReader traceback;
    std::size_t traceback_lines = 0;
    LogContext context;
    const Dialect* sticky = nullptr;
  };
  // Bytes of the log that a line is quoted from.
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t line = 0;
  };

  // A block is open whose lines must be looked at although they hold no literal.
  bool WantsEveryLine() const { return open_tracebacks_ > 0 || sticky_ranks_ > 0 || arguments_.open(); }
  void Units(std::size_t from);
  void Unit(std::size_t begin, std::size_t end, std::span<const Hit> hits);
  void DockerLine(std::size_t begin, std::size_t end);
  // Splits at backspaces and takes out escape sequences; `base` is subtracted from the hits' ends.
  void Replayed(std::string_view text, const Place& place, std::size_t base, std::span<const Hit> hits, bool complete,
                bool exact_place);
  void Segment(std::string_view text, const Place& place, std::span<const Hit> hits, bool complete);
  bool HasAlso(std::size_t signature, std::span<const Hit> hits) const;
  void TrySignature(std::size_t index, std::string_view text, const LogLine& line, bool complete);
  void Metrics(RankState& state, const LogLine& line, std::uint64_t mask, bool complete);
  bool ParseWith(const Dialect& dialect, RankState& state, LogLine line, bool complete);
  void StartTraceback(RankState& state, const LogLine& line);
  void StartFromFrame(RankState& state, const PeeledLine& peeled, const LogLine& line, bool complete);
  bool InTraceback(RankState& state, const PeeledLine& peeled, const LogLine& line, bool complete);
  void Push(Traceback traceback, int rank);
  void MarkTracebacks();
  RankState& StateOf(std::optional<int> rank);
  std::uint64_t LineNumber(std::size_t position);
  void CheckBytes();
  void RememberEnds();
  void Progress(std::uint64_t offset) { last_progress_ = std::max(last_progress_, offset); }

  LogTables& tables_;
  LogTables::Search& search_;
  SourceId source_;
  const LogOptions& options_;
  FactStore& facts_;
  MetricCollector collector_;
  ArgumentDump arguments_;
  ProgressTracker bars_;
  TerminalReplay replay_;
  PeelOptions layout_;
  LogShape shape_;
  std::map<int, RankState> ranks_;  // -1: lines without a rank
  RankState* unranked_ = nullptr;   // into ranks_
  std::size_t open_tracebacks_ = 0;
  std::size_t sticky_ranks_ = 0;  // ranks whose dialect wants the next line
  std::vector<Traceback> tracebacks_;
  std::vector<std::vector<SignatureHit>> first_hits_;
  std::vector<std::vector<SignatureHit>> last_hits_;
  std::vector<std::uint64_t> hit_counts_;
  std::vector<std::uint32_t> confirmed_;
  std::vector<Hit> hits_;
  std::vector<Hit> inner_hits_;
  MetricLine values_;  // of the line that is being parsed
  std::uint64_t last_progress_ = 0;
  std::uint64_t nul_begin_ = 0;
  std::uint64_t nul_end_ = 0;
  bool encoding_said_ = false;
  bool overlong_said_ = false;
  bool in_overlong_ = false;    // the window goes on in the middle of a line
  bool ends_overlong_ = false;  // and so will the next one
  std::string_view window_;
  std::size_t next_escape_ = 0;  // the first one at or behind the unit, in the window
  std::size_t next_backspace_ = 0;
  std::uint64_t window_offset_ = 0;
  std::size_t counted_to_ = 0;
  std::uint64_t counted_lines_ = 0;
  std::string docker_text_;
  std::optional<Time> docker_time_;
  std::string above_;  // the line before the current one where the window does not show it
  Place above_place_;
  std::string last_raw_;  // begin of the last line that is not blank
};

}  // namespace assay
