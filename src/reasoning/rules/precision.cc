// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_settings.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"fp16-in-use", "bf16-base-in-fp16", "config-not-effective"};

// The dtype that a base model's own config states: a config.json that also names an architecture.
const ConfigValue* BaseModelType(const FactView& facts) {
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    if (value.key != "torch_dtype" && value.key != "dtype") continue;
    const std::string text = ToLower(value.value);
    if (text != "bfloat16" && text != "torch.bfloat16") continue;
    for (const ConfigValue& other : facts.All<ConfigValue>()) {
      const bool model = other.key == "model_type" || other.key.starts_with("architectures");
      if (model && other.cite.source == value.cite.source) return &value;
    }
  }
  return nullptr;
}

void Evaluate(const FactView& facts, Findings& out) {
  const ConfigValue* half = Fp16Setting(facts);
  // The log knows what is in force; a configured value counts where it does not contradict it.
  bool other_in_force = false;
  for (const SignatureHit* hit : facts.Hits("amp-on")) other_in_force = other_in_force || hit->Capture("precision") == "bfloat16";
  if (half != nullptr && !other_in_force) {
    out.Add("precision", "fp16-in-use",
            fmt::format("The configuration sets {} to {}.", Printable(half->key, 80), Printable(half->value, 40)), {half->cite});
  }
  const Finding* in_use = out.Find("fp16-in-use");
  const ConfigValue* base = BaseModelType(facts);
  if (in_use != nullptr && base != nullptr) {
    out.Add("precision", "bf16-base-in-fp16",
            fmt::format("The base model's own config says {}, and the run computes in fp16.", Printable(base->value, 40)),
            {base->cite, in_use->cites.front()});
  }
  // The file asks for one type, and the engine announces the other.
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    const std::string key = ToLower(value.key);
    const bool asks_bf16 = (key == "bf16" || key.ends_with(".bf16") || key.ends_with("bf16.enabled")) && SaysYes(value.value);
    if (!asks_bf16 || value.origin != ConfigValue::Origin::kFile) continue;
    for (const SignatureHit* hit : facts.Hits("fp16-on")) {
      if (hit->quote.find("auto") != std::string::npos) continue;
      out.Add(
          "precision", "config-not-effective",
          fmt::format("The file sets {}={}, and the log announces fp16.", Printable(value.key, 80), Printable(value.value, 20)),
          {value.cite, hit->cite});
      return;
    }
  }
}

}  // namespace

extern const Rule precision;
constinit const Rule precision{
    .id = "precision",
    .title = "The number type that the run computes in",
    .looks_at = "configuration and the lines in which engines print their precision",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
