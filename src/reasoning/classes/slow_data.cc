// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reasoning/classes/failure_class.h"

namespace assay::classes {
namespace {

constexpr std::array<std::string_view, 2> kAnswers0{"wait-share-high", "gpu-sawtooth"};
constexpr std::array<std::string_view, 4> kAnswers1{"workers-zero", "workers-few", "workers-more-no-help",
                                                    "worker-affinity-narrow"};
constexpr std::array<std::string_view, 4> kAnswers2{"worker-cpu-busy", "worker-io-wait", "fetch-cpu-bound", "fetch-waiting"};
constexpr std::array<std::string_view, 5> kAnswers3{"mount-network", "mount-fuse", "mount-rotational", "read-rate-low",
                                                    "opens-per-second-high"};
constexpr std::array<std::string_view, 2> kAnswers4{"epoch-start-gap", "stall-every-k"};
constexpr std::array kTree{
    Question{"Does the rate recover with one cached batch?", kAnswers0},
    Question{"Too few workers, or workers that do not help?", kAnswers1},
    Question{"Are the workers busy or do they wait?", kAnswers2},
    Question{"Which storage, at which rate?", kAnswers3},
    Question{"Only at the start of epochs, or every k steps?", kAnswers4},
};

std::optional<Assessment> Assess(const FactView& /*facts*/, const Findings& findings) {
  return IfAny(Symptoms("slow-data", findings));
}

}  // namespace

extern const FailureClass slow_data;
constinit const FailureClass slow_data{
    .id = "slow-data",
    .title = "Training waits for data",
    .counts = "The trainer waits for batches: a quarter of the step or more, and at least 5 ms, over a steady segment.",
    .mode = "slow",
    .priority = 30,
    .decision_tree = kTree,
    .assess = Assess,
};

}  // namespace assay::classes
