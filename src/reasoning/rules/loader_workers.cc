// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "reasoning/rules/rule.h"

// Whether the loader has workers, where the run was seen to wait, and cores to run them on. Zero workers alone are a choice.
namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 3> kYields{"workers-zero", "threads-over", "worker-affinity-narrow"};
constexpr std::array<std::string_view, 2> kAsks{"wait-share-high", "gpu-sawtooth"};

// In these the number is that of processes or threads besides the trainer, so that 0 means none.
constexpr std::array<std::string_view, 8> kNames{"num_workers",     "dataloader_num_workers", "workers",          "n_workers",
                                                 "workers_per_gpu", "loader_workers",         "num_data_workers", "data_workers"};

// The loader counts the cores that its process may use, and says so where it is to start more workers than that. Fewer cores than
// the job was granted mean that the process was confined; else the job asked for too few.
void LookAtCores(const FactView& facts, Findings& out) {
  if (facts.Hits("loader-workers-suggested").empty())
    out.NotChecked("worker-affinity-narrow", "nothing says on which cores the workers of the loader may run");
  for (const SignatureHit* hit : facts.Hits("loader-workers-suggested")) {
    const auto workers = ParseNumber(hit->Capture("worker_count"));
    const auto cores = ParseNumber(hit->Capture("core_count"));
    if (!workers || !cores || *cores < 1 || *workers <= 2 * *cores) continue;
    constexpr std::array<std::string_view, 3> kGranted{"SLURM_CPUS_PER_TASK", "cpus-per-task", "cpus_per_task"};
    const ConfigValue* request = facts.FirstConfig(kGranted);
    const double granted = request == nullptr ? 0 : ParseNumber(Trim(request->value)).value_or(0);
    if (granted >= 2 * *cores) {
      out.Add("loader-workers", "worker-affinity-narrow",
              fmt::format("The job was granted {} cores, and the process that starts {} loader workers may use {}.",
                          FormatNumber(granted), FormatNumber(*workers), FormatNumber(*cores)),
              {hit->cite, request->cite});
    } else {
      out.Add(
          "loader-workers", "threads-over",
          fmt::format("{} loader workers share {}.", FormatNumber(*workers), Plural(static_cast<std::uint64_t>(*cores), "core")),
          {hit->cite});
    }
    return;
  }
}

void LookForNoWorkers(const FactView& facts, Findings& out) {
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

void Evaluate(const FactView& facts, Findings& out) {
  LookAtCores(facts, out);
  LookForNoWorkers(facts, out);
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
