// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"launch-error"};
constexpr std::array<std::string_view, 1> kAsks{"file-race"};

// '…' at the end of "[Errno 2] No such file or directory: '/data/train'".
std::string_view QuotedPath(std::string_view message) {
  const std::size_t open = message.find_first_of("'\"");
  if (open == std::string_view::npos) return {};
  const std::size_t close = message.find(message[open], open + 1);
  return close == std::string_view::npos ? std::string_view() : message.substr(open + 1, close - open - 1);
}

void Evaluate(const FactView& facts, Findings& out) {
  const Extent extent = ExtentOfRun(facts);
  const RunEnd end(facts);
  const Traceback* first = end.first();
  if (first == nullptr || extent.advanced || extent.rows > 0 || !first->in_worker.empty()) return;
  constexpr std::array<std::string_view, 4> kKinds{"FileNotFoundError", "PermissionError", "NotADirectoryError",
                                                   "IsADirectoryError"};
  if (std::find(kKinds.begin(), kKinds.end(), first->exception) == kKinds.end()) return;
  const std::string_view path = QuotedPath(first->message);
  // A program that is missing, a file that another rank removed, or a sample deep in the data are other matters.
  if (path.empty() || out.Has("file-race") || out.Has("io-error") || out.Has("toolchain-missing")) return;
  out.Add(
      "launch-path", "launch-error",
      fmt::format("{} for {} before the first step.",
                  first->exception == "PermissionError" ? "Access was refused" : "There is no such path", Printable(path, 200)),
      {first->exception_cite});
}

}  // namespace

extern const Rule launch_path;
constinit const Rule launch_path{
    .id = "launch-path",
    .title = "A path that was missing or forbidden when the run started",
    .looks_at = "the exception that ended a run without any step",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
