// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"wrapper-status", "ended-at-limit"};

// "2h", "90m", "7200", "1.5d", "02:00:00": seconds.
std::optional<double> Duration(std::string_view text) {
  const auto number = ParseNumberPrefix(text);
  if (!number || number->value <= 0) return std::nullopt;
  const std::string_view unit = text.substr(number->length);
  if (unit.empty() || unit == "s") return number->value;
  if (unit == "m") return number->value * 60;
  if (unit == "h") return number->value * 3600;
  if (unit == "d") return number->value * 86400;
  return std::nullopt;
}

struct Limit {
  double seconds;
  const ConfigValue* value;
};
// The limits that the launch script puts above a run, found before any duration is looked at.
std::vector<Limit> Limits(const FactView& facts) {
  std::vector<Limit> limits;
  for (const std::string_view name : {"timeout", "RuntimeMaxSec", "activeDeadlineSeconds", "timeout-minutes"}) {
    for (const ConfigValue* value : facts.Config(name)) {
      if (value->origin != ConfigValue::Origin::kJobScript && name == "timeout") continue;  // of a request, a store, a collective
      const auto seconds = Duration(Trim(value->value));
      if (seconds) limits.push_back({name == "timeout-minutes" ? *seconds * 60 : *seconds, value});
    }
  }
  return limits;
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<Limit> limits = Limits(facts);
  if (limits.empty()) return;
  const RunEnd end(facts);
  for (const SignatureHit* hit : facts.Hits("timeout-status")) {
    if (end.Of(*hit) != Standing::kEnd || end.ResultsAt(hit->cite.source)) continue;
    out.Add("ended-by-wrapper", "wrapper-status",
            fmt::format("The script runs the training under a timeout of {} and recorded its status 124.",
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
    .evaluate = Evaluate,
};

}  // namespace assay::rules
