// SPDX-License-Identifier: Apache-2.0
#pragma once

// Assembles Python tracebacks from the lines of one rank. Lines come in order; a line that does not continue the block ends it.

#include <optional>
#include <string>
#include <string_view>

#include "evidence/facts/vocabulary/log.h"

namespace assay {

inline constexpr std::string_view kTracebackMarker = "Traceback (most recent call last)";
inline constexpr std::string_view kDuringHandling = "During handling of the above exception, another exception occurred";
inline constexpr std::string_view kDirectCause = "The above exception was the direct cause of the following exception";

struct ExceptionLine;

class TracebackReader {
 public:
  // True while the block is open and wants to see every line of its rank.
  bool open() const { return open_; }

  // The marker line. A block that is still open is closed as incomplete first and returned.
  std::optional<Traceback> Start(const Citation& cite, std::optional<int> rank, std::optional<Time> time);

  // `text` has its prefixes peeled but keeps its indentation. Returns the finished traceback when `text` is its exception line.
  // A line that cannot belong to the block closes it: ended_by_stranger() then says so and the line is not consumed.
  std::optional<Traceback> Line(std::string_view text, const Citation& cite, bool complete_line);
  bool ended_by_stranger() const { return stranger_; }

  // The exception was printed above its frames; the block is complete as soon as a stranger ends it.
  void PrintedAbove(const ExceptionLine& exception, const Citation& cite);

  // The log's end: an open block is incomplete, and is returned.
  std::optional<Traceback> Finish();

  void SetChain(Traceback::Chain chain) { next_chain_ = chain; }

 private:
  std::optional<Traceback> Close(bool complete);
  bool open_ = false;
  bool stranger_ = false;
  bool frame_wants_code_ = false;
  Traceback current_;
  Traceback::Chain next_chain_ = Traceback::Chain::kNone;
};

// "torch.cuda.OutOfMemoryError: CUDA out of memory" is the type and the message; "KeyError" alone is a type without message.
// nullopt when the text is not an exception line.
struct ExceptionLine {
  std::string_view type;
  std::string_view message;
};
std::optional<ExceptionLine> ParseExceptionLine(std::string_view text);

bool IsLibraryPath(std::string_view path);

}  // namespace assay
