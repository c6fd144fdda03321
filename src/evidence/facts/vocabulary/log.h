// SPDX-License-Identifier: Apache-2.0
#pragma once

// Facts that text logs state.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "evidence/facts/source.h"
#include "knowledge/tables.h"

namespace assay {

// Which stream of events a line belongs to: a kernel line is weighed differently from the run's own output.
enum class Origin { kRunLog, kKernelLog, kScheduler, kListing };

// A line that matched a signature. Of a signature that matches very often the first and the last kept hits stand here, and
// `count` of the first one says how often it matched in its source.
struct SignatureHit {
  static constexpr std::string_view kTitle = "a log line that matches a signature";
  const Signature* signature = nullptr;
  Citation cite;
  std::string quote;                                          // the line, terminal controls replayed, at most 400 bytes
  std::vector<std::pair<std::string, std::string>> captures;  // named groups of the pattern that took part
  Origin origin = Origin::kRunLog;
  std::optional<int> rank;
  std::optional<Time> time;
  std::uint64_t count = 1;
  std::string
      belongs_because;  // for origins other than the run's own log: why the line is about this run; empty: it is not shown

  // Text of a named group, or empty.
  std::string_view Capture(std::string_view name) const {
    for (const auto& [key, value] : captures) {
      if (key == name) return value;
    }
    return {};
  }
};

struct TracebackFrame {
  std::string file;
  std::int64_t line = 0;
  std::string function;
  std::string code;      // the source line, if printed
  bool library = false;  // below site-packages, the standard library or a known framework
  Citation cite;
};

// One exception as Python printed it. Chained exceptions are several, in printed order: the last one is what ended the process.
struct Traceback {
  static constexpr std::string_view kTitle = "a Python exception with its frames";
  std::string exception;                      // "torch.cuda.OutOfMemoryError"
  std::string message;                        // first line
  std::vector<TracebackFrame> frames;         // outermost first
  std::optional<std::size_t> innermost_user;  // index into frames
  enum class Chain { kNone, kDuringHandling, kDirectCause };
  Chain chain = Chain::kNone;  // how it follows from the traceback printed before it
  std::string in_worker;       // "DataLoader worker process 0" where it was raised there and passed on
  std::optional<int> rank;
  std::optional<Time> time;
  bool complete = true;           // false: the text was cut before the exception's line
  bool progress_follows = false;  // the log goes on with steps afterwards: somebody caught it
  bool last = false;              // nothing but shut-down noise follows in its source
  Citation cite;                  // the whole block
  Citation exception_cite;        // the line with type and message
};

// One torchrun / elastic root-cause item.
struct LaunchFailure {
  static constexpr std::string_view kTitle = "a failed rank in the launcher's report";
  bool root_cause = false;
  std::optional<int> rank;
  std::string host;
  std::optional<int> exit_code;  // negative: signal
  std::string signal;
  std::optional<std::int64_t> pid;
  std::optional<Time> time;
  Citation cite;
};

// A progress bar, from its first to its last state.
struct ProgressBar {
  static constexpr std::string_view kTitle = "a progress bar";
  std::string description;
  double first = 0;
  double last = 0;
  double total = 0;                                // 0: unknown
  double elapsed = 0;                              // seconds, at the last state
  std::vector<std::pair<double, double>> samples;  // (position, elapsed seconds), evenly thinned to at most 64
  bool evaluation = false;                         // its description or unit says that it is not the training loop
  bool preparation = false;                        // it counts what is made ready for the training: files, examples, shards
  std::optional<int> rank;
  Citation first_cite;
  Citation cite;  // the last state
};

// What one text log is like as a whole.
struct LogShape {
  static constexpr std::string_view kTitle = "the shape of a text log";
  SourceId source = kNoSource;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  bool ends_with_newline = true;
  std::uint64_t nul_bytes = 0;
  std::optional<Time> first_time;
  std::optional<Time> last_time;
  std::vector<int> ranks;
  Citation first_line;
  std::string first_text;
  Citation last_line;  // last non-empty line
  std::string last_text;
};

}  // namespace assay
