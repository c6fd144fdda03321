// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"

// Whether the loader has workers, where the run was seen to wait. Zero workers alone are a choice.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"workers-zero"};
constexpr std::array<std::string_view, 2> kAsks{"wait-share-high", "gpu-sawtooth"};

// In these the number is that of processes or threads besides the trainer, so that 0 means none.
constexpr std::array<std::string_view, 8> kNames{"num_workers",     "dataloader_num_workers", "workers",          "n_workers",
                                                 "workers_per_gpu", "loader_workers",         "num_data_workers", "data_workers"};

void Evaluate(const FactView& facts, Findings& out) {
  std::optional<double> count;
  Citation cite;
  if (const ConfigValue* value = facts.FirstConfig(kNames)) {
    count = ParseNumber(Trim(value->value));
    cite = value->cite;
  }
  // What the log says at run time goes before a file.
  for (const SignatureHit* hit : facts.Hits("loader-workers")) {
    const std::string_view text = hit->Capture("worker_count").empty() ? hit->Capture("set_count") : hit->Capture("worker_count");
    if (const auto number = ParseNumber(text)) {
      count = number;
      cite = hit->cite;
    }
  }
  if (!count) {
    out.NotChecked("workers-zero", "neither the config nor the log says how many workers the loader has");
    return;
  }
  if (*count != 0) return;
  for (const std::string_view wait : kAsks) {
    if (const Finding* finding = out.Find(wait)) {
      out.Add("loader-workers", "workers-zero",
              "The loader has no workers, so that reading and computing take turns, and the run waits for data.",
              {cite, finding->cites.front()});
      return;
    }
  }
}

}  // namespace

extern const Rule loader_workers;
constinit const Rule loader_workers{
    .id = "loader-workers",
    .title = "Workers of the data loader",
    .looks_at = "the number of workers in config and log, beside the wait for data",
    .yields = kYields,
    .asks = kAsks,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
