// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the terminal and Markdown forms of a report share: citations as words, the verdict's sentence, which hypotheses are shown.

#include <string>
#include <vector>

#include "case/report.h"

namespace assay {

// "[E12 train.log:4812]"; several are joined: "[E1 a.log:3, E2 b.log:9]".
std::string CitationText(const Report& report, const std::vector<std::string>& ids);

// "confirmed: Out of memory (oom); which led to crash".
std::string VerdictLine(const Report& report);

// What a tired reader wants next: the confirmed cause, or that there is none yet; empty where nothing failed.
std::string CauseLine(const Report& report);

// "Which run": id, why chosen, time span.
std::string RunLine(const Report& report);
// "at step 3100, phase: mid, deterministic"; empty when nothing is known.
std::string WhenText(const Report& report);

// The hypotheses worth printing: all confirmed and supported ones, and the first open ones up to five in all.
std::vector<const ReportHypothesis*> ShownHypotheses(const Report& report, bool all);
// How many were left out of `shown`, and how they stand; empty when none was.
std::string HiddenHypothesesText(const Report& report, const std::vector<const ReportHypothesis*>& shown);
// "confirmed", "open", "open, with evidence on both sides": numbers belong to JSON and --explain.
std::string StandingText(const ReportHypothesis& hypothesis);

}  // namespace assay
