// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which of a scheduler's records decide. A job that was requeued, or a container that was restarted, has several: what came
// before one that completed or runs is history, and so is an attempt that the run's log outlived.

#include <optional>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

// When the job ended, as the record or the rows beside it say.
std::optional<Time> EndOf(const FactView& facts, const SchedulerRecord& record);

// The run's log begins before this record's end and stops by then: it is the log of that attempt.
bool LogEndsBy(const FactView& facts, const SchedulerRecord& record);

// A later record of the same job or container in the same listing has an exit status of its own. `record` is one of the store's.
bool EndedAgain(const FactView& facts, const SchedulerRecord& record);

// A later record of the same job or container in the same listing completed or runs. `record` is one of the store's.
bool WentOnWell(const FactView& facts, const SchedulerRecord& record);

// Records that belong to the run and are not history, in order.
std::vector<const SchedulerRecord*> DecidingRecords(const FactView& facts);

}  // namespace assay
