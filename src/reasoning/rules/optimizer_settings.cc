// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"
#include "reasoning/series.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 4> kYields{"odd-optimizer", "clip-absent", "clip-active", "compile-or-custom-kernel"};

std::string Shown(const ConfigValue& value) { return fmt::format("{}={}", Printable(value.key, 80), Printable(value.value, 60)); }

// An epsilon of 0, or an algorithm that iterates on matrices.
void LookAtOptimizer(const FactView& facts, Findings& out) {
  constexpr std::array<std::string_view, 3> kEpsilon{"eps", "adam_epsilon", "adam_eps"};
  const ConfigValue* epsilon = facts.FirstConfig(kEpsilon);
  if (epsilon != nullptr) {
    const std::string key = ToLower(epsilon->key);
    const bool optimizer = key.find("adam") != std::string::npos || key.find("optim") != std::string::npos;
    if (optimizer && ParseNumber(Trim(epsilon->value)) == 0.0) {
      out.Add("optimizer-settings", "odd-optimizer", fmt::format("The optimizer's epsilon is 0 ({}).", Shown(*epsilon)),
              {epsilon->cite});
    }
  }
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    const std::string key = ToLower(value.key);
    const bool is_name = key == "optimizer" || key == "optim" || key.ends_with(".optimizer") || key.ends_with(".optim") ||
                         key.ends_with("optimizer.name") || key.ends_with("optimizer.type") || key.ends_with("optim.name") ||
                         key.ends_with("optim.type");
    const std::string text = is_name ? ToLower(value.value) : std::string();
    constexpr std::array<std::string_view, 5> kMatrix{"muon", "dion", "shampoo", "soap", "kfac"};
    const bool matrix =
        std::any_of(kMatrix.begin(), kMatrix.end(), [&](std::string_view word) { return text.find(word) != std::string::npos; });
    const bool iterates = key.find("newton_schulz") != std::string::npos && !SaysNo(value.value);
    if (matrix || iterates) {
      out.Add("optimizer-settings", "odd-optimizer", fmt::format("The optimizer iterates on matrices ({}).", Shown(value)),
              {value.cite});
      return;
    }
  }
}

void LookAtClipping(const FactView& facts, Findings& out) {
  constexpr std::array<std::string_view, 11> kNames{"grad_clip",         "gradient_clip_val", "max_grad_norm",  "clip_grad",
                                                    "gradient_clipping", "clip_norm",         "clip_grad_norm", "grad_clip_norm",
                                                    "grad_norm_clip",    "gradient_clip",     "clip_gradients"};
  const ConfigValue* clip = facts.FirstConfig(kNames);
  if (clip == nullptr) {
    if (AnythingNonfinite(facts))
      out.NotChecked("clip-active", "no configured value names gradient clipping, and the source is not read yet");
    return;
  }
  const auto threshold = ParseNumber(Trim(clip->value));
  if (SaysNo(clip->value) || (threshold && *threshold <= 0)) {
    out.Add("optimizer-settings", "clip-absent", fmt::format("Gradient clipping is off ({}).", Shown(*clip)), {clip->cite});
  } else if (threshold && std::isfinite(*threshold)) {
    out.Add("optimizer-settings", "clip-active", fmt::format("Gradients are clipped ({}).", Shown(*clip)), {clip->cite});
  }
}

void LookAtKernels(const FactView& facts, Findings& out) {
  constexpr std::array<std::string_view, 5> kFlags{"compile", "torch_compile", "use_flash_attn", "use_flash_attention",
                                                   "xformers"};
  for (const std::string_view name : kFlags) {
    for (const ConfigValue* value : facts.Config(name)) {
      if (!SaysYes(value->value)) continue;
      out.Add("optimizer-settings", "compile-or-custom-kernel",
              fmt::format("Compiled or fused kernels are in use ({}).", Shown(*value)), {value->cite});
      return;
    }
  }
  for (const std::string_view name : {"attn_implementation", "attention_backend", "attn_backend"}) {
    for (const ConfigValue* value : facts.Config(name)) {
      const std::string text = ToLower(value->value);
      if (text.find("flash") == std::string::npos && text.find("xformers") == std::string::npos &&
          text.find("triton") == std::string::npos)
        continue;
      out.Add("optimizer-settings", "compile-or-custom-kernel",
              fmt::format("A fused attention kernel is in use ({}).", Shown(*value)), {value->cite});
      return;
    }
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  LookAtOptimizer(facts, out);
  LookAtClipping(facts, out);
  LookAtKernels(facts, out);
}

}  // namespace

extern const Rule optimizer_settings;
constinit const Rule optimizer_settings{
    .id = "optimizer-settings",
    .title = "Optimizer, clipping and compiled kernels as configured",
    .looks_at = "configuration files and arguments",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
