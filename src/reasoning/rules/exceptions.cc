// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"traceback-user"};

// What ended the process by another's hand is no exception of the user's code.
bool IsInterruption(std::string_view exception) {
  return exception == "KeyboardInterrupt" || exception == "SystemExit" || exception.ends_with("SignalException");
}

void Evaluate(const FactView& facts, Findings& out) {
  const Traceback* first = nullptr;
  for (const Traceback& t : facts.All<Traceback>()) {
    if (!t.last || t.exception.empty() || IsInterruption(t.exception) || Survived(facts, t.exception_cite)) continue;
    // Of several ranks the first one in time counts, else the first in the log.
    const bool earlier = first == nullptr || (t.time && first->time && t.time->seconds < first->time->seconds);
    if (earlier) first = &t;
  }
  if (first == nullptr) return;
  std::string place;
  std::vector<Citation> cites{first->exception_cite};
  if (first->innermost_user) {
    const TracebackFrame& frame = first->frames[*first->innermost_user];
    place = fmt::format(" in {}:{}{}", Printable(frame.file, 120), frame.line, frame.function.empty() ? "" : " (" + Printable(frame.function, 60) + ")");
    cites.push_back(frame.cite);
  }
  Finding& finding = out.Add("exceptions", "traceback-user",
                             fmt::format("{}{}{}.", Printable(first->exception, 80), place,
                                         first->message.empty() ? "" : ": " + Printable(first->message, 200)),
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
