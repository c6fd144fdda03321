// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns of metric tables as series: what every rule about losses, norms, rates and scales asks of them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"
#include "reasoning/finding.h"

namespace assay {

struct SeriesPoint {
  std::size_t row;
  double value;
};
using Series = std::vector<SeriesPoint>;

// The values of a column, blanks left out.
Series SeriesOf(const MetricTable& table, std::size_t column);
// The fullest column of this meaning; empty when there is none. A writer may print one quantity under two names, of which one
// stands in a single line.
Series SeriesOf(const MetricTable& table, Metric metric);
std::optional<std::size_t> FullestColumn(const MetricTable& table, Metric metric);
// The columns of the training's loss; its parts ("box_loss", "loss_d") where the table has no loss as a whole.
std::vector<std::size_t> LossColumns(const MetricTable& table);

// A training loss or a gradient norm of this run is non-finite somewhere: the questions about divergence are worth asking.
bool AnythingNonfinite(const FactView& facts);

std::vector<double> FiniteValues(const Series& series);

// "step 120", "epoch 3" or "row 7 of its log".
std::string PlaceOf(const MetricTable& table, std::size_t row);

// Adds a finding that one row carries, with its step, epoch and rank unless an earlier one gave them.
Finding& AddAt(Findings& out, std::string_view rule, const MetricTable& table, std::size_t row, std::string_view id,
               std::string statement);

// The writer prints numbers with all the digits they have, so that a printed 0 is 0. Others may print few decimals.
bool PrintsAllDigits(const MetricTable& table, const FactView& facts);

// The planned steps of the run in the unit of this table's steps: what the writer announced, else what the config plans.
std::optional<double> PlannedSteps(const MetricTable& table, const FactView& facts);

// The loss of a policy, a critic or an adversary, which may be 0, negative or rise in a healthy run: other columns of the run say
// so.
bool LooksLikeReinforcementOrAdversary(const FactView& facts);

}  // namespace assay
