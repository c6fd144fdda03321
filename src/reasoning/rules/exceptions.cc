// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"traceback-user"};

// What ended the process by another's hand is no exception of the user's code.
bool IsInterruption(std::string_view exception) {
  return exception == "KeyboardInterrupt" || exception == "SystemExit" || exception.ends_with("SignalException");
}

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  const auto& uncaught = end.uncaught();
  // What only reports that a part or a peer failed is an end, and no exception of its own.
  const auto found = std::find_if(uncaught.begin(), uncaught.end(), [](const Traceback* t) {
    return !IsInterruption(t->exception) && KindOf(*t) == ExceptionKind::kOwn;
  });
  if (found == uncaught.end()) return;
  const Traceback* first = *found;
  const std::string_view message = WithoutStop(first->message);
  std::string place;
  std::vector<Citation> cites{first->exception_cite};
  if (first->innermost_user) {
    const TracebackFrame& frame = first->frames[*first->innermost_user];
    place = fmt::format(" in {}:{}{}", Printable(frame.file, 120), frame.line,
                        frame.function.empty() ? "" : " (" + Printable(frame.function, 60) + ")");
    cites.push_back(frame.cite);
  }
  Finding& finding = out.Add(
      "exceptions", "traceback-user",
      fmt::format("{}{}{}.", Printable(first->exception, 80), place, message.empty() ? "" : ": " + Printable(message, 200)),
      std::move(cites));
  finding.rank = first->rank;
  finding.time = first->time;
}

}  // namespace

extern const Rule exceptions;
constinit const Rule exceptions{
    .id = "exceptions",
    .title = "The exception that ended the process, with the innermost frame of the user's code",
    .looks_at = "tracebacks of every log, per rank",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
