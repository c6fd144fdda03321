// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reasoning/classes/failure_class.h"

namespace assay::classes {
namespace {

constexpr std::array<std::string_view, 6> kAnswers0{"loss-nonfinite",      "loss-hidden-nan",     "gradnorm-nonfinite",
                                                    "norm-only-nonfinite", "eval-only-nonfinite", "param-nonfinite-first"};
constexpr std::array<std::string_view, 3> kAnswers1{"scale-startup-skips", "scale-collapse", "scale-at-floor"};
constexpr std::array<std::string_view, 2> kAnswers2{"first-bad-step-0", "first-bad-late"};
constexpr std::array<std::string_view, 4> kAnswers3{"resumed-run", "fresh-run", "start-ckpt-nonfinite", "start-ckpt-clean"};
constexpr std::array<std::string_view, 6> kAnswers4{"replay-fwd-op", "replay-half-op", "replay-bwd-op",
                                                    "replay-input",  "replay-state",   "replay-finite"};
constexpr std::array<std::string_view, 3> kAnswers5{"loss-spike-before", "gradnorm-growth", "lr-near-peak-at-break"};
constexpr std::array kTree{
    Question{"What became non-finite first: the loss, the norm, the parameters, or only the evaluation?", kAnswers0},
    Question{"Does the loss scaler only skip steps, as it does at the start?", kAnswers1},
    Question{"At the first step, or late?", kAnswers2},
    Question{"Did the run start from a checkpoint, and was that clean?", kAnswers3},
    Question{"Which operation, parameter or sample was non-finite first?", kAnswers4},
    Question{"Did the loss or the gradient norm grow before the break?", kAnswers5},
};

std::optional<Assessment> Assess(const FactView& /*facts*/, const Findings& findings) {
  return IfAny(Symptoms("nan-gradient", findings));
}

}  // namespace

extern const FailureClass nan_gradient;
constinit const FailureClass nan_gradient{
    .id = "nan-gradient",
    .title = "Non-finite loss or gradient",
    .counts = "A training loss, gradient, parameter or optimizer state became NaN or infinite in a run that was meant to go on.",
    .mode = "nan",
    .priority = 10,
    .decision_tree = kTree,
    .assess = Assess,
};

}  // namespace assay::classes
