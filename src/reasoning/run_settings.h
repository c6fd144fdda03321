// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the configuration and the log of a run say about precision, optimizer and start weights: questions that several rules ask.

#include <optional>
#include <string>
#include <string_view>

#include "evidence/facts/fact_store.h"

namespace assay {

bool SaysYes(std::string_view value);  // "true", "True", "yes", "on", "1"
bool SaysNo(std::string_view value);   // "false", "no", "off", "0", "none", "null", ""

enum class OptimizerFamily { kUnknown, kAdam, kSgd, kOther };
struct OptimizerUse {
  OptimizerFamily family = OptimizerFamily::kUnknown;
  std::string name;  // as written
  std::optional<Citation> cite;
};
OptimizerUse OptimizerOf(const FactView& facts);

// All weights of a pretrained model are trained; adapters take higher rates and are left out.
bool FineTunesPretrained(const FactView& facts);

// The configured value that makes the run compute in fp16, nullptr when none does. "amp: true" alone does not say which type.
const ConfigValue* Fp16Setting(const FactView& facts);

}  // namespace assay
