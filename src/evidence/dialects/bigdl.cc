// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.h"
#include "evidence/dialects/dialect.h"

// BigDL's optimizers: "[Epoch 1 3200/64000][Iteration 50] Trained 64.0 records in 0.178860 seconds. Throughput is 357.822
// records/second. Loss is 0.931337. ". The position in the epoch counts records.
namespace assay::dialects {
namespace {

constexpr std::array<std::string_view, 2> kTriggers{"][Iteration ", "Throughput is "};

// The number behind these words, nullopt when they or it do not stand there.
std::optional<double> After(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = ParseNumberPrefix(text.substr(at + words.size()));
  return number ? std::optional(number->value) : std::nullopt;
}

Parsed Parse(const LogLine& line, LogContext& /*context*/, MetricLine& out) {
  const std::size_t begin = line.text.find("[Epoch ");
  if (begin == std::string_view::npos) return Parsed::kNotMine;
  const std::string_view text = line.text.substr(begin);
  const auto epoch = After(text, "[Epoch ");
  const auto iteration = After(text, "][Iteration ");
  if (!epoch || !iteration) return Parsed::kNotMine;
  if (text.find("Loss is ") == std::string_view::npos) return Parsed::kContext;  // cut: nobody else may read the rest
  out.epoch = *epoch;
  out.SetStep(*iteration);
  if (const auto seconds = After(text, " records in ")) out.Add("step_time", *seconds);
  if (const auto rate = After(text, "Throughput is ")) out.Add("throughput", *rate);
  if (const auto loss = After(text, "Loss is ")) out.Add("loss", *loss);
  return out.values().empty() ? Parsed::kNotMine : Parsed::kRow;
}

}  // namespace

extern const Dialect bigdl;
constinit const Dialect bigdl{
    .id = "bigdl",
    .title = "BigDL and Analytics Zoo optimizers",
    .triggers = kTriggers,
    .precedence = 32,
    .sample =
        "[Epoch 1 3200/64000][Iteration 50] Trained 64.0 records in 0.178860 seconds. Throughput is 357.822 records/second. Loss "
        "is 0.931337. ",
    .parse = Parse,
};

}  // namespace assay::dialects
