// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reasoning/classes/failure_class.h"

namespace assay::classes {
namespace {

constexpr std::array<std::string_view, 7> kAnswers0{"params-unchanged", "lr-zero",   "lr-ends-early", "grad-zero",
                                                    "grad-none",        "skips-all", "lora-b-zero"};
constexpr std::array<std::string_view, 5> kAnswers1{"loss-exact-zero", "chance-loss", "loss-input-independent",
                                                    "broadcast-warning", "target-token-missing"};
constexpr std::array<std::string_view, 4> kAnswers2{"same-augment", "same-batch-on-ranks", "replica-diff", "no-allreduce"};
constexpr std::array<std::string_view, 3> kAnswers3{"steps-per-epoch-changed", "subset-left-on", "exceptions-swallowed"};
constexpr std::array<std::string_view, 3> kAnswers4{"weights-evaluated-other", "mode-train-in-eval", "eval-twice-differs"};
constexpr std::array<std::string_view, 5> kAnswers5{"result-absent", "result-stale", "log-stopped", "log-absent",
                                                    "step-axis-off"};
constexpr std::array kTree{
    Question{"Did anything update: parameters, learning rate, gradients?", kAnswers0},
    Question{"Does the loss depend on inputs and targets?", kAnswers1},
    Question{"Do ranks, workers and epochs see different data and the same weights?", kAnswers2},
    Question{"Was everything processed?", kAnswers3},
    Question{"Were the trained weights evaluated, in the right mode?", kAnswers4},
    Question{"Are outputs and logs written, fresh, on one step axis?", kAnswers5},
};

std::optional<Assessment> Assess(const FactView& /*facts*/, const Findings& findings) {
  return IfAny(Symptoms("silent-error", findings));
}

}  // namespace

extern const FailureClass silent_error;
constinit const FailureClass silent_error{
    .id = "silent-error",
    .title = "It ran, and the result is wrong",
    .counts = "The run goes on or ended normally, and its result is wrong, absent, or not of what was meant.",
    .mode = "metric",
    .priority = 21,
    .decision_tree = kTree,
    .assess = Assess,
};

}  // namespace assay::classes
