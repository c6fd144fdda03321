// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reasoning/classes/failure_class.h"

namespace assay::classes {
namespace {

constexpr std::array<std::string_view, 4> kAnswers0{"impossible-value", "constant-metric", "chance-metric", "nan-metric"};
constexpr std::array<std::string_view, 2> kAnswers1{"tiny-example-fails", "recompute-differs-metric"};
constexpr std::array<std::string_view, 6> kAnswers2{"count-mismatch",    "label-range", "class-map-differs",
                                                    "empty-predictions", "pad-in-sum",  "preproc-differs"};
constexpr std::array<std::string_view, 4> kAnswers3{"value-depends-on-batch", "value-depends-on-world", "no-reset",
                                                    "ragged-last-batch"};
constexpr std::array<std::string_view, 1> kAnswers4{"loss-ratio-integer"};
constexpr std::array kTree{
    Question{"Is the value impossible, constant, or at chance while the loss falls?", kAnswers0},
    Question{"Does the metric function give the right value for a known example?", kAnswers1},
    Question{"Are the inputs right: count, labels, classes, padding, preprocessing?", kAnswers2},
    Question{"Is the aggregation right: batches, ranks, reset?", kAnswers3},
    Question{"Does the reported scale depend on accumulation or world size?", kAnswers4},
};

std::optional<Assessment> Assess(const FactView& /*facts*/, const Findings& findings) {
  return IfAny(Symptoms("metric-error", findings));
}

}  // namespace

extern const FailureClass metric_error;
constinit const FailureClass metric_error{
    .id = "metric-error",
    .title = "A metric that is not what it says",
    .counts = "A metric's value is impossible, or was shown to differ from its definition.",
    .mode = "metric",
    .priority = 20,
    .decision_tree = kTree,
    .assess = Assess,
};

}  // namespace assay::classes
