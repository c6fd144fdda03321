// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reasoning/classes/failure_class.h"

namespace assay::classes {
namespace {

constexpr std::array<std::string_view, 3> kAnswers0{"rate-drop", "rate-low-vs-reference", "rate-decay"};
constexpr std::array<std::string_view, 2> kAnswers1{"gpu-never-used", "gpu-util-low"};
constexpr std::array<std::string_view, 2> kAnswers2{"wait-share-low", "wait-share-high"};
constexpr std::array<std::string_view, 4> kAnswers3{"rank-late", "one-host-only", "gpu-throttle-hw", "foreign-gpu-process"};
constexpr std::array<std::string_view, 8> kAnswers4{"launch-bound",      "python-loop-loss", "sync-per-step",
                                                    "comm-exposed",      "recompile-lines",  "user-frame-share",
                                                    "ops-per-step-high", "denormal-values"};
constexpr std::array kTree{
    Question{"Against which reference, and since when?", kAnswers0},    Question{"Is the device used at all?", kAnswers1},
    Question{"How large is the share of waiting for data?", kAnswers2}, Question{"All ranks or one, one host or all?", kAnswers3},
    Question{"What does the step's own time go to?", kAnswers4},
};

std::optional<Assessment> Assess(const FactView& /*facts*/, const Findings& findings) {
  return IfAny(Symptoms("slow-training", findings));
}

}  // namespace

extern const FailureClass slow_training;
constinit const FailureClass slow_training{
    .id = "slow-training",
    .title = "Slow training",
    .counts =
        "Throughput is below a stated reference: the same run earlier, a completed run, the other ranks, or the cost of its "
        "parts.",
    .mode = "slow",
    .priority = 31,
    .decision_tree = kTree,
    .assess = Assess,
};

}  // namespace assay::classes
