// SPDX-License-Identifier: Apache-2.0
#include "reasoning/run_settings.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace assay {
namespace {

template <std::size_t N>
bool OneOf(std::string_view text, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

OptimizerFamily FamilyOf(std::string_view name) {
  const std::string lower = ToLower(name);
  // Optimizers that take other rates than their name suggests come first.
  constexpr std::array<std::string_view, 9> kOther{"adafactor", "prodigy", "dadapt",       "muon",         "dion",
                                                   "shampoo",   "soap",    "schedulefree", "schedule_free"};
  for (const std::string_view word : kOther) {
    if (lower.find(word) != std::string::npos) return OptimizerFamily::kOther;
  }
  if (lower.find("adam") != std::string::npos) return OptimizerFamily::kAdam;
  if (lower == "sgd" || lower.starts_with("sgd") || lower.ends_with(".sgd") || lower == "momentum") return OptimizerFamily::kSgd;
  return OptimizerFamily::kOther;
}

}  // namespace

bool SaysYes(std::string_view value) {
  constexpr std::array<std::string_view, 5> kYes{"true", "yes", "on", "1", "enabled"};
  return OneOf(ToLower(Trim(value)), kYes);
}

bool SaysNo(std::string_view value) {
  constexpr std::array<std::string_view, 10> kNo{"false", "no", "off", "0", "none", "null", "", "disabled", "0.0", "~"};
  return OneOf(ToLower(Trim(value)), kNo);
}

OptimizerUse OptimizerOf(const FactView& facts) {
  constexpr std::array<std::string_view, 4> kNames{"optimizer", "optim", "optimizer_type", "optimizer_name"};
  if (const ConfigValue* value = facts.FirstConfig(kNames); value != nullptr && !SaysNo(value->value)) {
    return {.family = FamilyOf(value->value), .name = Printable(value->value, 40), .cite = value->cite};
  }
  // "optimizer: {name: adam, lr: …}", "optimizer.type: AdamW".
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    const std::string key = ToLower(value.key);
    const bool named = key.ends_with("optimizer.name") || key.ends_with("optimizer.type") || key.ends_with("optim.name") ||
                       key.ends_with("optim.type") || key.ends_with("optimizer._target_");
    if (named) return {.family = FamilyOf(value.value), .name = Printable(value.value, 40), .cite = value.cite};
  }
  for (const SignatureHit* hit : facts.Hits("optimizer-named")) {
    for (const auto& [name, text] : hit->captures) {
      if (!text.empty()) return {.family = FamilyOf(text), .name = Printable(text, 40), .cite = hit->cite};
    }
  }
  return {};
}

bool FineTunesPretrained(const FactView& facts) {
  constexpr std::array<std::string_view, 6> kModel{"model_name_or_path", "base_model",
                                                   "pretrained_model",   "pretrained_model_name_or_path",
                                                   "init_checkpoint",    "from_pretrained"};
  const ConfigValue* model = facts.FirstConfig(kModel);
  if (model == nullptr || SaysNo(model->value)) return false;
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    const std::string key = ToLower(value.key);
    if (key.find("lora") != std::string::npos || key.find("peft") != std::string::npos ||
        key.find("adapter") != std::string::npos)
      return false;
  }
  return true;
}

const ConfigValue* Fp16Setting(const FactView& facts) {
  constexpr std::array<std::string_view, 5> kFlags{"fp16", "use_fp16", "half", "use_half", "fp16_enabled"};
  constexpr std::array<std::string_view, 7> kTypes{"precision",     "mixed_precision", "dtype",         "amp_dtype",
                                                   "compute_dtype", "model_dtype",     "autocast_dtype"};
  constexpr std::array<std::string_view, 8> kHalf{"fp16", "float16", "16", "16-mixed", "16-true", "torch.float16", "half", "f16"};
  for (const ConfigValue& value : facts.All<ConfigValue>()) {
    if (ToLower(value.key).ends_with("fp16.enabled") && SaysYes(value.value)) return &value;
  }
  for (const std::string_view name : kTypes) {
    const std::vector<const ConfigValue*> values = facts.Config(name);
    if (!values.empty() && OneOf(ToLower(Trim(values.front()->value)), kHalf)) return values.front();
  }
  for (const std::string_view name : kFlags) {
    const std::vector<const ConfigValue*> values = facts.Config(name);
    if (!values.empty() && SaysYes(values.front()->value)) return values.front();
  }
  return nullptr;
}

}  // namespace assay
