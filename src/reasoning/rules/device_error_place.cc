// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"index-assert-line", "cuda-late-frame"};

// Sources of the framework whose assertions are about indices. A custom kernel's own assertion says something else.
bool IsFrameworkKernel(std::string_view quote) {
  constexpr std::array<std::string_view, 10> kFiles{
      "native/cuda/Index", "native/cuda/Loss", "native/cuda/NLLLoss", "native/cuda/ScatterGather", "native/cuda/Embed",
      "THC/THCTensor",     "THCUNN/",          "native/hip/",         "ATen/native/cuda/",         "ATen/native/sparse/"};
  return std::any_of(kFiles.begin(), kFiles.end(), [&](std::string_view f) { return quote.find(f) != std::string_view::npos; });
}

bool LaunchesBlock(const FactView& facts) {
  for (const ConfigValue* value : facts.Config("CUDA_LAUNCH_BLOCKING")) {
    if (value->value == "1") return true;
  }
  return false;
}

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  for (const SignatureHit* hit : facts.Hits("device-assert-index")) {
    if (end.Of(*hit) != Standing::kEnd || !IsFrameworkKernel(hit->quote)) continue;
    Finding& finding = out.Add(
        "device-error-place", "index-assert-line",
        fmt::format("The kernel's assertion {} failed{}: an index lies outside its table.",
                    Printable(hit->Capture("condition"), 120), hit->count > 1 ? fmt::format(" {} times", hit->count) : ""),
        {hit->cite});
    if (!finding.rank) finding.rank = hit->rank;
  }
  const Traceback* first = end.first();
  if (first == nullptr || LaunchesBlock(facts)) return;
  for (const std::string_view id :
       {"device-side-assert", "illegal-memory-access", "device-launch-failure", "cublas-call-failed"}) {
    for (const SignatureHit* hit : facts.Hits(id)) {
      if (!end.InFirst(hit->cite)) continue;
      out.Add("device-error-place", "cuda-late-frame",
              fmt::format(
                  "The device error was raised in {}, and launches did not block: the failing operation may be an earlier one.",
                  first->frames.empty() ? "a later call" : Printable(first->frames.back().function, 60)),
              {hit->cite});
    }
  }
}

}  // namespace

extern const Rule device_error_place;
constinit const Rule device_error_place{
    .id = "device-error-place",
    .title = "What the lines around a device error say about its place",
    .looks_at = "assertion lines, device errors and the settings that make launches block",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
