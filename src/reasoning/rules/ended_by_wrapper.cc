// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"
#include "reasoning/wrapper_limits.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"wrapper-status", "ended-at-limit"};
constexpr std::array<std::string_view, 2> kAsks{"sigkill-unexplained", "wrapper-timeout"};

// "run.sh: line 11: 412 Killed   timeout -s KILL 3h python …": timeout sends the signal to its own group, so that the shell sees
// timeout itself die of it.
bool IsTimeoutsOwnKill(const SignatureHit& hit) {
  const std::size_t at = hit.quote.find(" timeout ");
  if (at == std::string::npos) return false;
  const std::string_view command = std::string_view(hit.quote).substr(at);
  for (const std::string_view option :
       {" -s KILL", " -s 9", " -s SIGKILL", " --signal=KILL", " --signal=SIGKILL", " --signal=9"}) {
    if (command.find(option) != std::string_view::npos) return true;
  }
  return false;
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<WrapperLimit> limits = WrapperLimits(facts);
  if (limits.empty()) return;
  const RunEnd end(facts);
  for (const SignatureHit* hit : facts.Hits("timeout-status")) {
    if (end.Of(*hit) != Standing::kEnd || end.ResultsAt(hit->cite.source)) continue;
    out.Add("ended-by-wrapper", "wrapper-status",
            fmt::format("The script runs the training under a timeout of {} and recorded its status 124.",
                        FormatSeconds(limits.front().seconds)),
            {hit->cite, limits.front().value->cite});
  }
  for (const SignatureHit* hit : facts.Hits("shell-killed")) {
    if (!IsTimeoutsOwnKill(*hit) || end.Of(*hit) != Standing::kEnd || end.ResultsAt(hit->cite.source)) continue;
    out.Add("ended-by-wrapper", "wrapper-status",
            fmt::format("The shell saw the timeout command, which has a limit of {} and sends SIGKILL, die of that signal.",
                        FormatSeconds(limits.front().seconds)),
            {hit->cite, limits.front().value->cite});
  }
  if (!out.Has("wrapper-status") && !out.Has("wrapper-timeout") && !out.Has("sigkill-unexplained")) return;
  for (const LogShape& shape : facts.All<LogShape>()) {
    if (!shape.first_time || !shape.last_time || limits.size() != 1) continue;
    const double wall = shape.last_time->seconds - shape.first_time->seconds;
    const double limit = limits.front().seconds;
    if (std::abs(wall - limit) > std::max(2.0, 0.005 * limit)) continue;
    out.Add("ended-by-wrapper", "ended-at-limit",
            fmt::format("The run lasted {}, the limit of its script is {}.", FormatSeconds(wall), FormatSeconds(limit)),
            {shape.last_line, limits.front().value->cite});
  }
}

}  // namespace

extern const Rule ended_by_wrapper;
constinit const Rule ended_by_wrapper{
    .id = "ended-by-wrapper",
    .title = "Whether a timeout command above the run ended it",
    .looks_at = "launch scripts with a timeout, the status that they recorded and the wall time of the log",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
