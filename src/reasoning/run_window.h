// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether something that another clock recorded (a kernel line, a scheduler's row) fits the time of the run. Process numbers are
// given out again: only the time tells one process from a later one with its number.

#include <optional>

#include "evidence/facts/fact_store.h"

namespace assay {

// First and last time that the run's own logs print, and when the last of them was written to.
struct LogWindow {
  std::optional<Time> first;
  std::optional<Time> last;
  double written = 0;  // seconds since the epoch; 0: not known
};
LogWindow WindowOfRun(const FactView& facts);

enum class TimeFit { kInside, kOutside, kUnknown };  // unknown: no time, or one that does not compare
// `after`: seconds for which a silent process may have lived on behind its last line.
TimeFit FitOfTime(const LogWindow& window, const std::optional<Time>& time, double after);

// The training logged steps after this time.
bool WentOnAfter(const FactView& facts, const std::optional<Time>& time);

}  // namespace assay
