// SPDX-License-Identifier: Apache-2.0
#pragma once

// From facts to a verdict: rules, classes in order, hypotheses, the gate. Pure: the same facts give the same diagnosis.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"
#include "reasoning/classes/failure_class.h"
#include "reasoning/finding.h"
#include "reasoning/gate.h"
#include "reasoning/hypothesis.h"
#include "reasoning/progress.h"

namespace assay {

enum class Verdict { kConfirmed, kSupported, kUndetermined, kNoFailureFound };
std::string_view VerdictId(Verdict verdict);    // "no_failure_found"
std::string_view VerdictText(Verdict verdict);  // "no failure found"

struct ClassOfRun {
  const FailureClass* failure_class = nullptr;
  std::vector<const Finding*> because;
  const FailureClass* follows_from = nullptr;
  std::string follows_because;
};

enum class Phase { kUnknown, kStartup, kInit, kStep0, kEarly, kMid, kEval, kSave, kShutdown };
std::string_view PhaseName(Phase phase);

struct When {
  Phase phase = Phase::kUnknown;
  std::optional<std::int64_t> step;
  std::optional<double> epoch;
  std::optional<Time> time;
};

// A matter that is not an engineering failure, and where it belongs.
struct Route {
  std::string what;
  std::string where;
};

struct Diagnosis {
  std::unique_ptr<Findings> findings;     // owns what everything below points to
  std::vector<ClassOfRun> classes;        // priority order; empty when nothing failed
  std::vector<Hypothesis> hypotheses;     // ranked
  std::vector<ConfirmedCause> confirmed;  // the primary class's first
  struct Blocked {
    const CauseInfo* cause;
    std::vector<std::string> missing;  // why direct evidence did not pass the gate
  };
  std::vector<Blocked> blocked;
  Verdict verdict = Verdict::kUndetermined;
  When when;
  std::string recurrence = "unknown";  // deterministic | intermittent | unknown
  Extent extent;
  std::vector<std::string> healthy_signs;  // sentences, for "no failure found"
  std::vector<Citation> healthy_cites;
  std::vector<Route> routes;
};

Diagnosis Diagnose(const FactView& facts);

}  // namespace assay
