// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the run's own artifacts say about its identity, for telling its processes and jobs from those of others.

#include <cstdint>
#include <set>
#include <string>

#include "evidence/facts/fact_store.h"

namespace assay {

// Process ids that the run's own output names, and processes seen alive that belong to it. Kernel and scheduler lines do not
// count, wherever they stand: they name others too.
std::set<std::int64_t> OwnPids(const FactView& facts);

// The source is what the run itself printed, and not a log of the node or a listing that lies beside it: it holds steps or
// exceptions, or it is the only log there is.
bool IsRunsOwnLog(const FactView& facts, SourceId source);

// A row of a listing of pods ("name  0/1  OOMKilled …"), which may be anybody's, wherever it stands.
bool IsPodRow(std::string_view line);

// The source holds lines of the kernel and nothing of the run: a copy of the node's log that was taken for a log of the run.
bool IsLogOfNode(const FactView& facts, SourceId source);

// Ranks of this run on one host, 1 when nothing says that there are more.
int RanksPerNode(const FactView& facts);

// Why this job, step or pod is the run's own; empty when nothing ties it to the run. `job` as SchedulerRecord writes it:
// "1234.batch", "pod/container".
std::string OwnJobBecause(const FactView& facts, std::string_view job);

}  // namespace assay
