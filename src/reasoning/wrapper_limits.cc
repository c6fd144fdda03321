// SPDX-License-Identifier: Apache-2.0
#include "reasoning/wrapper_limits.h"

#include <optional>

#include "base/text.h"

namespace assay {
namespace {

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

}  // namespace

std::vector<WrapperLimit> WrapperLimits(const FactView& facts) {
  std::vector<WrapperLimit> limits;
  for (const std::string_view name : {"timeout", "RuntimeMaxSec", "activeDeadlineSeconds", "timeout-minutes"}) {
    for (const ConfigValue* value : facts.Config(name)) {
      if (value->origin != ConfigValue::Origin::kJobScript && name == "timeout") continue;  // of a request, a store, a collective
      const auto seconds = Duration(Trim(value->value));
      if (seconds) limits.push_back({name == "timeout-minutes" ? *seconds * 60 : *seconds, value});
    }
  }
  return limits;
}

}  // namespace assay
