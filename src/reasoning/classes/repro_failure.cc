// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reasoning/classes/failure_class.h"

namespace assay::classes {
namespace {

constexpr std::array<std::string_view, 7> kAnswers0{"code-diff",  "config-diff", "env-diff",    "data-diff",
                                                    "world-diff", "device-diff", "seed-differs"};
constexpr std::array<std::string_view, 5> kAnswers1{"first-diff", "diff-at-init", "diff-batch-rng-equal", "diff-rng-first",
                                                    "diff-weights-only"};
constexpr std::array<std::string_view, 1> kAnswers2{"same-within-process"};
constexpr std::array<std::string_view, 4> kAnswers3{"resume-jump", "ckpt-keys-missing", "ckpt-step-mismatch", "data-restart"};
constexpr std::array kTree{
    Question{"Are code, configuration, environment, data and devices the same?", kAnswers0},
    Question{"What differs first, and at which step?", kAnswers1},
    Question{"Do repeats inside one process agree?", kAnswers2},
    Question{"Does a resumed run continue step, learning rate and data position?", kAnswers3},
};

std::optional<Assessment> Assess(const FactView& /*facts*/, const Findings& findings) {
  return IfAny(Symptoms("repro-failure", findings));
}

}  // namespace

extern const FailureClass repro_failure;
constinit const FailureClass repro_failure{
    .id = "repro-failure",
    .title = "Runs that should be equal differ",
    .counts = "Two runs meant to be equal differ, or a resumed run does not continue the old one.",
    .mode = "repro",
    .priority = 22,
    .decision_tree = kTree,
    .assess = Assess,
};

}  // namespace assay::classes
