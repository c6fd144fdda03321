// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "base/text.h"
#include "reasoning/progress.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"fast-exit", "usage-error", "steps-made"};

constexpr double kFast = 60;              // seconds
constexpr std::uint64_t kLastLines = 15;  // srun, wandb and the script say a few words after the program

// A parser of arguments or configs that refused what it was given.
bool IsRefusal(std::string_view signature) {
  return signature == "argparse-error" || signature == "click-or-hf-argument" || signature == "hydra-error";
}

// What came to an end before any step: an exception, or the line of a failure.
std::optional<Citation> EndBeforeWork(const FactView& facts, const RunEnd& end) {
  if (end.first() != nullptr) return end.first()->exception_cite;
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.signature->role == Role::kFailure && hit.origin == Origin::kRunLog && end.Of(hit) == Standing::kEnd) return hit.cite;
  }
  return std::nullopt;
}

void Evaluate(const FactView& facts, Findings& out) {
  const Extent extent = ExtentOfRun(facts);
  const RunEnd end(facts);
  constexpr std::size_t kSteps = 3;
  if (extent.advanced && extent.last && (extent.rows >= kSteps || extent.training_bars > 0) &&
      !end.NewAttemptAfter(*extent.last, {})) {
    out.Add("fast-exit", "steps-made",
            extent.last_step ? fmt::format("The run had made steps up to {}.", *extent.last_step)
                             : std::string("The run had made steps."),
            {*extent.last});
  }
  if (extent.advanced || extent.rows > 0 || extent.last_step.value_or(0) > 0) return;
  const auto ended = EndBeforeWork(facts, end);
  if (!ended) return;
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (shape.source != ended->source) continue;
    const bool timed = shape.first_time && shape.last_time && shape.first_time->zoned == shape.last_time->zoned &&
                       shape.last_time->seconds > shape.first_time->seconds;
    const double seconds = timed ? shape.last_time->seconds - shape.first_time->seconds : 0;
    if (seconds > kFast) continue;
    out.Add("fast-exit", "fast-exit",
            timed ? fmt::format("The run ended {} after its first line, before any step.", FormatSeconds(seconds))
                  : fmt::format("The run ended before any step; its log has {}.", Plural(shape.lines, "line")),
            {*ended});
    for (const SignatureHit& hit : facts.All<SignatureHit>()) {
      if (hit.cite.source != shape.source || !IsRefusal(hit.signature->id) || end.Of(hit) != Standing::kEnd) continue;
      const bool own_exception = end.first() != nullptr && !end.InFirst(hit.cite);
      if (own_exception || hit.cite.line + kLastLines < shape.lines) continue;
      out.Add("fast-exit", "usage-error",
              fmt::format("The program refused how it was started: {}.", Printable(WithoutStop(hit.quote), 200)), {hit.cite});
    }
  }
}

}  // namespace

extern const Rule fast_exit;
constinit const Rule fast_exit{
    .id = "fast-exit",
    .title = "Whether the run had worked before it ended, and what it refused",
    .looks_at = "logged steps, and the ends of logs without any",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
