// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/dialects/dialect.h"

// NVIDIA Apex and fairseq's older loss scalers: "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to
// 32768.0". Each is a row with the scale that follows and skipped = 1.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 1> kTriggers{"Gradient overflow.  Skipping step, loss scaler "};

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  constexpr std::string_view kReducing = "reducing loss scale to ";
  const std::size_t at = line.text.find(kReducing);
  if (at == std::string_view::npos || line.text.find(kTriggers[0]) == std::string_view::npos) return Parsed::kNotMine;
  const auto scale = ParseNumberPrefix(line.text.substr(at + kReducing.size()));
  if (!scale) return Parsed::kNotMine;
  out.Add("loss_scale", scale->value);
  out.Add("skipped", 1);
  return Parsed::kRow;
}

}  // namespace

extern const Dialect apex;
constinit const Dialect apex{
    .id = "apex",
    .title = "NVIDIA Apex: overflows of the loss scaler",
    .triggers = kTriggers,
    .precedence = 14,
    .sample = "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0",
    .parse = Parse,
};

}  // namespace assay::dialects
