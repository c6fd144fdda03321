// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the run made progress, and what came after it. Every reading asks this: an exception that is followed by steps was
// caught; an end that follows the last step is an end.

#include <cstdint>
#include <optional>

#include "evidence/facts/fact_store.h"

namespace assay {

// How many rows of the table begin before this place of its source. Rows stand in the order of the artifact.
std::size_t RowsBefore(const MetricTable& table, std::uint64_t offset);

// A restart lies between the last row before this place and the end of the table.
bool AttemptRises(const MetricTable& table, std::uint64_t offset);

// The table is the training's own: it has a loss, a norm or a rate, or counts steps under names that assay does not know.
bool IsTraining(const MetricTable& table);

// Place of the last training or evaluation step of this source, in bytes; 0 when there is none.
std::uint64_t LastProgress(const FactView& facts, SourceId source);

// Steps (rows of one table, or positions of one bar) that the same source logged after `offset`; 0 when none.
std::size_t StepsAfter(const FactView& facts, SourceId source, std::uint64_t offset);
// The same of the training alone: an evaluation after the end of the training is no further training.
std::size_t TrainingStepsAfter(const FactView& facts, SourceId source, std::uint64_t offset);

// How far the whole run got, over all its sources.
struct Extent {
  std::size_t rows = 0;  // training rows in the longest table
  std::optional<std::int64_t> first_step;
  std::optional<std::int64_t> last_step;
  std::optional<std::int64_t> planned_steps;
  std::optional<double> last_epoch;
  std::optional<double> planned_epochs;
  bool bar_complete = false;  // the last training bar stands at its total
  std::size_t training_bars = 0;
  std::optional<Citation> last;  // the last step
  bool reached_plan = false;     // planned steps or epochs were reached (± 1)
  bool advanced = false;         // at least two different steps, or a bar that moved
};
Extent ExtentOfRun(const FactView& facts);

}  // namespace assay
