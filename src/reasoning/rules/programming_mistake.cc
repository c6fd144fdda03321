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

// A SyntaxError may be the interpreter's age, and a wrong argument a library's other version: neither is counted.
bool IsMistakeByKind(std::string_view exception) {
  constexpr std::array<std::string_view, 4> kKinds{"NameError", "UnboundLocalError", "IndentationError", "TabError"};
  return std::find(kKinds.begin(), kKinds.end(), exception) != kKinds.end();
}

// What tensors refuse whatever values, files or peers there are: how the program puts its operations together.
bool IsMisuseOfTensors(std::string_view message) {
  constexpr std::array<std::string_view, 8> kTexts{
      "device type tensor to numpy. Use Tensor.cpu()",
      "Can't call numpy() on Tensor that requires grad",
      "Expected all tensors to be on the same device",
      "does not require grad and does not have a grad_fn",
      "Trying to backward through the graph a second time",
      "a leaf Variable that requires grad is being used in an in-place operation",
      "has been modified by an inplace operation",
      "grad can be implicitly created only for scalar outputs",
  };
  return std::any_of(kTexts.begin(), kTexts.end(),
                     [&](std::string_view text) { return message.find(text) != std::string_view::npos; });
}

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  const Traceback* first = end.first();
  if (first == nullptr || first->frames.empty() || first->frames.back().library || !first->complete) return;
  if (!IsMistakeByKind(first->exception) && !IsMisuseOfTensors(first->message)) return;
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
