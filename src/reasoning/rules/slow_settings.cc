// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/statistics.h"
#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"
#include "reasoning/step_cost.h"

// Settings that cost time whatever the model is. They are hints: how much they cost is measured elsewhere.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 4> kYields{"debug-switches", "log-every-step", "fp32-no-tf32", "recompile-lines"};

struct Switch {
  std::string_view name;
  std::string_view what;
};
constexpr std::array<Switch, 8> kSwitches{{{"CUDA_LAUNCH_BLOCKING", "blocking launches"},
                                           {"HIP_LAUNCH_BLOCKING", "blocking launches"},
                                           {"detect_anomaly", "anomaly detection"},
                                           {"anomaly_detection", "anomaly detection"},
                                           {"set_detect_anomaly", "anomaly detection"},
                                           {"jax_debug_nans", "the check for NaN after each operation"},
                                           {"JAX_DISABLE_JIT", "execution without compilation"},
                                           {"run_eagerly", "eager execution"}}};

void LookAtSwitches(const FactView& facts, Findings& out) {
  for (const Switch& s : kSwitches) {
    const std::vector<const ConfigValue*> values = facts.Config(s.name);
    if (values.empty() || !SaysYes(values.front()->value)) continue;
    out.Add("slow-settings", "debug-switches",
            fmt::format("{} is set: {} slows every step.", Printable(values.front()->key, 60), s.what), {values.front()->cite});
  }
  const std::vector<const ConfigValue*> debug = facts.Config("NCCL_DEBUG");
  if (!debug.empty() && EqualsIgnoreCase(debug.front()->value, "TRACE")) {
    out.Add("slow-settings", "debug-switches", "NCCL_DEBUG=TRACE is set: every collective is written to the log.",
            {debug.front()->cite});
  }
}

void LookAtLogging(const FactView& facts, Findings& out) {
  constexpr std::array<std::string_view, 4> kHeavy{"histogram_every", "log_histogram_every", "image_every", "log_images_every"};
  for (const std::string_view name : kHeavy) {
    const std::vector<const ConfigValue*> values = facts.Config(name);
    if (values.empty() || ParseNumber(Trim(values.front()->value)).value_or(0) != 1) continue;
    out.Add("slow-settings", "log-every-step",
            fmt::format("{} is 1: the run logs images or histograms at each step.", Printable(values.front()->key, 60)),
            {values.front()->cite});
  }
  const std::vector<const ConfigValue*> watch = facts.Config("watch");
  if (!watch.empty() && EqualsIgnoreCase(watch.front()->value, "all")) {
    out.Add("slow-settings", "log-every-step", "The tracker watches all parameters and gradients.", {watch.front()->cite});
  }
}

void LookAtPrecision(const FactView& facts, Findings& out) {
  constexpr std::array<std::string_view, 3> kTf32{"allow_tf32", "tf32", "matmul_allow_tf32"};
  constexpr std::array<std::string_view, 4> kPrecision{"precision", "mixed_precision", "dtype", "compute_dtype"};
  const ConfigValue* tf32 = facts.FirstConfig(kTf32);
  const ConfigValue* precision = facts.FirstConfig(kPrecision);
  if (tf32 == nullptr || precision == nullptr || !SaysNo(tf32->value)) return;
  const std::string type = ToLower(Trim(precision->value));
  if (type != "32" && type != "fp32" && type != "float32" && type != "32-true" && type != "no" && type != "torch.float32") return;
  out.Add("slow-settings", "fp32-no-tf32",
          fmt::format("The run computes in {} with the reduced type of matrix products off.", Printable(precision->value, 20)),
          {precision->cite, tf32->cite});
}

// A limit that one function met costs nothing by itself: where the run went on as fast as before, it was no failure. Where no
// rate is known, before or after, nothing excuses it.
void JudgeLimit(const FactView& facts, Findings& out) {
  const std::vector<const SignatureHit*> limits = facts.HitsFor("recompile-lines");
  if (limits.empty()) return;
  constexpr std::size_t kEnough = 6;
  constexpr double kNoSlower = 1.2;
  for (const CostSeries& series : CostsOf(facts)) {
    std::vector<double> before;
    std::vector<double> after;
    for (const CostPoint& point : series.points) {
      if (point.cite.source != limits.front()->cite.source) continue;
      if (point.cite.end <= limits.front()->cite.begin) before.push_back(point.seconds);
      if (point.cite.begin >= limits.back()->cite.end) after.push_back(point.seconds);
    }
    if (before.empty() || after.size() < kEnough) continue;
    const double worst = *std::max_element(after.begin(), after.end());
    if (Median(after) > kNoSlower * Median(before) || worst > 2 * Median(after)) return;
    out.Add("slow-settings", "recompile-lines", "", {limits.front()->cite}).survived = true;
    return;
  }
}

// What the compiler or tracer itself says of new compilations, at three or more different places of the training.
void LookAtRecompilation(const FactView& facts, Findings& out) {
  if (out.Has("recompile-lines")) {
    JudgeLimit(facts, out);
    return;
  }
  std::vector<const SignatureHit*> said = facts.Hits("recompile-reason");
  std::erase_if(said, [](const SignatureHit* h) { return h->Capture("function").empty() && h->Capture("reason").empty(); });
  const std::vector<const SignatureHit*> traced = facts.Hits("graph-traced-again");
  said.insert(said.end(), traced.begin(), traced.end());
  std::vector<const SignatureHit*> later;
  std::uint64_t last_place = 0;
  for (const SignatureHit* hit : said) {
    for (const MetricTable& table : facts.tables()) {
      if (table.source != hit->cite.source || table.row_count() < 3) continue;
      // After warm-up: a tenth of the logged rows, and another row since the last one.
      std::uint64_t row = 0;
      while (row < table.row_count() && table.row(row).offset < hit->cite.begin) ++row;
      if (row < std::max<std::uint64_t>(table.row_count() / 10, 3) || row == last_place) continue;
      last_place = row;
      later.push_back(hit);
      break;
    }
  }
  if (later.size() < 3) return;
  std::vector<Citation> cites;
  for (const SignatureHit* hit : later) cites.push_back(hit->cite);
  cites.resize(std::min<std::size_t>(cites.size(), 4));
  out.Add("slow-settings", "recompile-lines",
          fmt::format("The compiler compiled again at {} places of the training after its start.", later.size()),
          std::move(cites));
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtSwitches(facts, out);
  LookAtLogging(facts, out);
  LookAtPrecision(facts, out);
  LookAtRecompilation(facts, out);
}

}  // namespace

extern const Rule slow_settings;
constinit const Rule slow_settings{
    .id = "slow-settings",
    .title = "Settings that cost time",
    .looks_at = "config, environment and the compiler's log",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
