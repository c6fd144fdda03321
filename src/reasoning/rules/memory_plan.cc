// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/text.h"
#include "reasoning/device_request.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"device-smaller-than-planned", "saver-expected-off", "attn-quadratic"};

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kCap = 0.95;  // of the capacity
constexpr double kSmaller =
    0.8;  // of a capacity taken from a name: names count in powers of ten and leave out the driver's share

// "a100-80g", "gpu:a100_80gb:2", "h100_80GB", "80": GiB, where the name holds a plausible size with its unit.
std::optional<double> SizeInName(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsDigit(text[i]) || (i > 0 && (IsDigit(text[i - 1]) || text[i - 1] == '.'))) continue;
    const auto number = ParseNumberPrefix(text.substr(i));
    if (!number) continue;
    const std::string_view unit = text.substr(i + number->length);
    const bool giga = !unit.empty() && (unit[0] == 'g' || unit[0] == 'G') &&
                      (unit.size() == 1 || !IsIdentifierChar(unit[1]) || unit[1] == 'b' || unit[1] == 'B');
    if (giga && number->value >= 4 && number->value <= 1024) return number->value * kGiB;
  }
  return std::nullopt;
}

void LookAtDevice(const FactView& facts, const DeviceRequest& request, Findings& out) {
  if (request.allowed && request.capacity && *request.allowed < kCap * *request.capacity) {
    out.Add("memory-plan", "device-smaller-than-planned",
            fmt::format("The program allowed itself only {} of the device's {}.", FormatBytes(*request.allowed),
                        FormatBytes(*request.capacity)),
            {request.hit->cite});
    return;
  }
  if (!request.capacity) return;
  for (const SignatureHit* hit : facts.Hits("device-model")) {
    if (hit->quote.find(" MIG ") == std::string::npos) continue;
    out.Add("memory-plan", "device-smaller-than-planned",
            fmt::format("The device is a slice of {} ({}).", FormatBytes(*request.capacity), Printable(hit->quote, 100)),
            {hit->cite, request.hit->cite});
    return;
  }
  static constexpr std::array<std::string_view, 8> kKeys{"constraint", "gres",       "gpus",    "gpu_type",
                                                         "gpu_model",  "gpu_memory", "gpu_mem", "accelerator"};
  for (const std::string_view key : kKeys) {
    for (const ConfigValue* value : facts.Config(key)) {
      const auto planned = SizeInName(value->value);
      if (!planned || *request.capacity >= kSmaller * *planned) continue;
      out.Add("memory-plan", "device-smaller-than-planned",
              fmt::format("The device has {}, and {} asks for {}.", FormatBytes(*request.capacity), Printable(value->key, 60),
                          Printable(value->value, 60)),
              {request.hit->cite, value->cite});
      return;
    }
  }
}

bool IsOn(std::string_view value) {
  static constexpr std::array<std::string_view, 6> kOn{"true", "yes", "on", "1", "flash_attention_2", "flash_attention_3"};
  return std::any_of(kOn.begin(), kOn.end(), [&](std::string_view on) { return EqualsIgnoreCase(Trim(value), on); });
}
bool IsOff(std::string_view value) {
  static constexpr std::array<std::string_view, 7> kOff{"false", "no", "off", "0", "none", "null", "eager"};
  return std::any_of(kOff.begin(), kOff.end(), [&](std::string_view off) { return EqualsIgnoreCase(Trim(value), off); });
}

// A file asks for the saver and what the run printed as its arguments says that it is off. An override that somebody gave on
// purpose, in the script or on the command line, is the plan itself.
void LookAtSavers(const FactView& facts, Findings& out) {
  static constexpr std::array<std::string_view, 12> kSavers{"gradient_checkpointing",
                                                            "activation_checkpointing",
                                                            "use_flash_attention",
                                                            "use_flash_attn",
                                                            "flash_attention",
                                                            "attn_implementation",
                                                            "cpu_offload",
                                                            "offload_optimizer",
                                                            "load_in_4bit",
                                                            "load_in_8bit",
                                                            "use_fsdp",
                                                            "recompute_activations"};
  for (const std::string_view saver : kSavers) {
    const ConfigValue* asked = nullptr;
    const ConfigValue* effective = nullptr;
    bool overridden = false;
    for (const ConfigValue* value : facts.Config(saver)) {
      const bool command = value->origin == ConfigValue::Origin::kJobScript || value->key.starts_with("argv");
      if (command && IsOff(value->value)) overridden = true;
      if (value->origin == ConfigValue::Origin::kFile || command) {
        if (IsOn(value->value)) asked = value;
      } else if (IsOff(value->value) && effective == nullptr) {
        effective = value;
      } else if (IsOn(value->value)) {
        overridden = true;  // one of several effective values is on: which one counts is not known
      }
    }
    if (asked == nullptr || effective == nullptr || overridden) continue;
    out.Add("memory-plan", "saver-expected-off",
            fmt::format("{} is asked for ({}), and the run's own arguments say {}.", saver, Printable(asked->value, 40),
                        Printable(effective->value, 40)),
            {asked->cite, effective->cite});
    return;
  }
}

// TensorFlow prints the shape that it could not place: two equal long sides behind batch and heads are attention scores.
void LookAtShape(const FactView& facts, Findings& out) {
  constexpr std::int64_t kLong = 512;
  const RunEnd end(facts);
  for (const SignatureHit* hit : facts.Hits("tf-device-oom")) {
    if (end.Of(*hit) != Standing::kEnd) continue;
    const std::vector<std::string_view> sides = Split(hit->Capture("shape"), ',');
    if (sides.size() != 4) continue;
    const auto last = ParseInteger(Trim(sides[3]));
    const auto before = ParseInteger(Trim(sides[2]));
    const auto heads = ParseInteger(Trim(sides[1]));
    if (!last || !before || !heads || *last != *before || *last < kLong || *heads > 128) continue;
    out.Add("memory-plan", "attn-quadratic",
            fmt::format("The tensor that did not fit has the shape [{}]: its size grows with the square of the length {}.",
                        hit->Capture("shape"), *last),
            {hit->cite});
    return;
  }
}

void Evaluate(const FactView& facts, Findings& out) {
  const std::vector<DeviceRequest> requests = FatalDeviceRequests(facts);
  if (requests.empty()) return;
  LookAtDevice(facts, requests.front(), out);
  LookAtSavers(facts, out);
  LookAtShape(facts, out);
}

}  // namespace

extern const Rule memory_plan;
constinit const Rule memory_plan{
    .id = "memory-plan",
    .title = "Whether the device and the memory savers were those that the plan counts on",
    .looks_at =
        "capacity and caps in out-of-memory messages, device names, configuration against the arguments that the run printed",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
