// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/dialects/dialect.h"

// Stable-Baselines3 prints a boxed block an iteration, one name and number a line: "|    ep_rew_mean          | 171        |".
// Only what tells progress, reward and rate is taken: its losses are those of a policy, and say nothing by their size.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 3> kTriggers{"|    total_timesteps ", "|    ep_rew_mean ", "|    learning_rate "};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  const std::vector<std::string_view> cells = Split(Trim(line.text), '|');
  if (cells.size() != 4 || !cells[0].empty() || !cells[3].empty()) return Parsed::kNotMine;
  const std::string_view name = Trim(cells[1]);
  const auto number = ParseNumber(Trim(cells[2]));
  if (!number) return Parsed::kNotMine;
  if (name == "total_timesteps") out.SetStep(*number);
  out.Add(out.Keep(std::string(name)), *number);
  return Parsed::kRow;
}

}  // namespace

extern const Dialect stable_baselines;
constinit const Dialect stable_baselines{
    .id = "stable-baselines",
    .title = "Stable-Baselines3: boxed blocks of names and numbers",
    .triggers = kTriggers,
    .precedence = 34,
    .sample = "|    total_timesteps      | 20480       |",
    .parse = Parse,
};

}  // namespace assay::dialects
