// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reasoning/classes/failure_class.h"

namespace assay::classes {
namespace {

constexpr std::array<std::string_view, 7> kAnswers0{"device-oom", "host-oom",  "oom-kill-own",  "sched-oom",
                                                    "global-oom", "shm-error", "rlimit-refusal"};
constexpr std::array<std::string_view, 3> kAnswers1{"others-on-device", "own-ranks-on-one-device", "neighbour-large"};
constexpr std::array<std::string_view, 8> kAnswers2{"oom-at-init",      "oom-at-load", "oom-at-forward", "oom-at-backward",
                                                    "oom-at-opt-first", "oom-at-eval", "oom-step-first", "oom-step-late"};
constexpr std::array<std::string_view, 3> kAnswers3{"ask-large", "ask-small", "ask-impossible"};
constexpr std::array<std::string_view, 4> kAnswers4{"growth-linear", "growth-steps", "growth-per-eval", "host-rss-growth"};
constexpr std::array<std::string_view, 2> kAnswers5{"frag-unallocated", "frag-snapshot"};
constexpr std::array kTree{
    Question{"Which memory ran out: the device's allocator, the rest of the device, the cgroup, the whole host, /dev/shm, or a "
             "process limit?",
             kAnswers0},
    Question{"Whose bytes were they?", kAnswers1},
    Question{"In which phase, and at which step?", kAnswers2},
    Question{"Was the request large, small or impossible?", kAnswers3},
    Question{"Did memory grow, and how?", kAnswers4},
    Question{"Was memory free but fragmented?", kAnswers5},
};

std::optional<Assessment> Assess(const FactView& /*facts*/, const Findings& findings) { return IfAny(Symptoms("oom", findings)); }

}  // namespace

extern const FailureClass oom;
constinit const FailureClass oom{
    .id = "oom",
    .title = "Out of memory",
    .counts = "An allocation failed on the device or the host, a process was killed for memory, or memory grows towards a limit.",
    .mode = "oom",
    .priority = 11,
    .decision_tree = kTree,
    .assess = Assess,
};

}  // namespace assay::classes
