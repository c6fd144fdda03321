// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"programming-error"};

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  const Traceback* first = end.first();
  if (first == nullptr || first->frames.empty() || first->frames.back().library || !first->complete) return;
  // A SyntaxError may be the interpreter's age, and a wrong argument a library's other version: neither is counted.
  constexpr std::array<std::string_view, 4> kKinds{"NameError", "UnboundLocalError", "IndentationError", "TabError"};
  if (std::find(kKinds.begin(), kKinds.end(), first->exception) == kKinds.end()) return;
  const TracebackFrame& frame = first->frames.back();
  Finding& finding = out.Add("programming-mistake", "programming-error",
                             fmt::format("{} at {}:{} is a mistake of the program: {}.", first->exception,
                                         Printable(frame.file, 120), frame.line, Printable(WithoutStop(first->message), 160)),
                             {first->exception_cite, frame.cite});
  finding.rank = first->rank;
}

}  // namespace

extern const Rule programming_mistake;
constinit const Rule programming_mistake{
    .id = "programming-mistake",
    .title = "A mistake of the program that no other failure can cause",
    .looks_at = "the exception that ended the run first",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
