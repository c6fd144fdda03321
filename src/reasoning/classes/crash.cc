// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reasoning/classes/failure_class.h"

namespace assay::classes {
namespace {

constexpr std::array<std::string_view, 8> kAnswers0{"sched-timeout", "sched-cancel",    "sched-preempt",       "sched-node-fail",
                                                    "oom-kill-own",  "wrapper-timeout", "sigkill-unexplained", "traceback-user"};
constexpr std::array<std::string_view, 3> kAnswers1{"one-rank-first", "watchdog-timeout", "rank-behind"};
constexpr std::array<std::string_view, 5> kAnswers2{"import-failure", "launch-error", "cuda-init-failure", "fast-exit",
                                                    "clean-until-end"};
constexpr std::array<std::string_view, 3> kAnswers3{"traceback-user", "device-assert", "illegal-access"};
constexpr std::array<std::string_view, 8> kAnswers4{"sigsegv", "sigill",   "sigabrt",  "enospc",
                                                    "edquot",  "io-error", "fd-limit", "proc-limit"};
constexpr std::array<std::string_view, 5> kAnswers5{"hang-first-collective", "fr-mismatch", "fr-all-started", "missing-ranks",
                                                    "net-error"};
constexpr std::array kTree{
    Question{"Who ended it: the scheduler, the kernel, another process, itself?", kAnswers0},
    Question{"Which rank failed first?", kAnswers1},
    Question{"In which phase?", kAnswers2},
    Question{"Which exception, in which line of the user's code?", kAnswers3},
    Question{"Which signal or error number?", kAnswers4},
    Question{"A hang: which collective, which rank?", kAnswers5},
};

std::optional<Assessment> Assess(const FactView& /*facts*/, const Findings& findings) {
  return IfAny(Symptoms("crash", findings));
}

}  // namespace

extern const FailureClass crash;
constinit const FailureClass crash{
    .id = "crash",
    .title = "The process ended without completing",
    .counts = "The process, or any rank, ended without completing what was asked, or it hangs.",
    .mode = "crash",
    .priority = 12,
    .decision_tree = kTree,
    .assess = Assess,
};

}  // namespace assay::classes
