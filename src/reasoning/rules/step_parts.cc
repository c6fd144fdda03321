// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"

// What the step's own time goes to, from what the run prints about itself: tables of average times, and primitives with their
// times.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 2> kYields{"loss-dominates-step", "primitive-slower"};

// The median of a part of the step in milliseconds, and a line that holds it.
struct PartTime {
  double milliseconds = 0;
  std::size_t row = 0;
};
std::optional<PartTime> PartOf(const MetricTable& table, std::initializer_list<std::string_view> names) {
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (std::find(names.begin(), names.end(), table.columns()[c].name) == names.end()) continue;
    std::vector<double> values;
    std::size_t last = 0;
    for (std::size_t i = 0; i < table.row_count(); ++i) {
      if (const auto v = table.At(i, c); v && std::isfinite(*v)) {
        values.push_back(*v);
        last = i;
      }
    }
    if (values.size() >= 3) return PartTime{.milliseconds = Median(values), .row = last};
  }
  return std::nullopt;
}

// The loss takes far longer than the model's forward pass, and its backward pass longer than both. Clocks that do not wait for
// the device put time into the next part that does; they cannot make two later parts longer than all before them.
void LookAtLoss(const MetricTable& table, Findings& out) {
  const auto forward = PartOf(table, {"forward_ms", "forward_pass_ms", "model_ms"});
  const auto loss = PartOf(table, {"loss_ms", "criterion_ms", "loss_computation_ms"});
  const auto backward = PartOf(table, {"backward_ms", "backward_pass_ms"});
  if (!forward || !loss || !backward || backward->milliseconds < 50) return;
  if (loss->milliseconds < 5 * forward->milliseconds ||
      backward->milliseconds < 2.5 * (forward->milliseconds + loss->milliseconds))
    return;
  out.Add("step-parts", "loss-dominates-step",
          fmt::format("The loss takes {:.0f} ms and the backward pass {:.0f} ms of a step whose forward pass takes {:.0f} ms.",
                      loss->milliseconds, backward->milliseconds, forward->milliseconds),
          {table.Cite(forward->row), table.Cite(loss->row), table.Cite(backward->row)});
}

// "mkldnn_verbose,exec,…,shapes,27.1": the text without its last field names the primitive with its shapes, the field is
// milliseconds.
void LookAtPrimitives(const FactView& facts, Findings& out) {
  struct Seen {
    std::vector<double> milliseconds;
    std::vector<Citation> cites;
  };
  std::map<std::string, Seen, std::less<>> seen;
  for (const SignatureHit* hit : facts.Hits("onednn-verbose")) {
    const std::size_t comma = hit->quote.rfind(',');
    if (comma == std::string::npos || hit->quote.find(",exec,") == std::string::npos) continue;
    const auto milliseconds = ParseNumber(Trim(std::string_view(hit->quote).substr(comma + 1)));
    const std::size_t name = hit->quote.find("_verbose,");
    if (!milliseconds || *milliseconds <= 0 || name == std::string::npos) continue;
    Seen& entry = seen[hit->quote.substr(name, comma - name)];
    entry.milliseconds.push_back(*milliseconds);
    entry.cites.push_back(hit->cite);
  }
  for (const auto& [primitive, entry] : seen) {
    const std::size_t n = entry.milliseconds.size();
    if (n < 6) continue;
    const std::size_t part = std::max<std::size_t>(n / 4, 3);
    const double first = Median({entry.milliseconds.begin(), entry.milliseconds.begin() + static_cast<std::ptrdiff_t>(part)});
    const double last = Median({entry.milliseconds.end() - static_cast<std::ptrdiff_t>(part), entry.milliseconds.end()});
    if (last < 2 * first) continue;
    out.Add("step-parts", "primitive-slower",
            fmt::format("One primitive with the same shapes takes {:.3g} ms at first and {:.3g} ms at the end ({} shown).", first,
                        last, n),
            {entry.cites.front(), entry.cites.back()});
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  bool timed = false;
  for (const MetricTable& table : facts.tables()) {
    if (table.writer != "timing-table") continue;
    timed = true;
    LookAtLoss(table, out);
  }
  if (!timed) out.NotChecked("loss-dominates-step", "the run prints no table of the times of its parts");
  LookAtPrimitives(facts, out);
}

}  // namespace

extern const Rule step_parts;
constinit const Rule step_parts{
    .id = "step-parts",
    .title = "What the time of a step goes to",
    .looks_at = "printed tables of times, and verbose lines of oneDNN",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
