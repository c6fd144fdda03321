// SPDX-License-Identifier: Apache-2.0
#include "reasoning/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "reasoning/health.h"
#include "reasoning/rule_order.h"
#include "reasoning/rules/rule.h"
#include "reasoning/signature_findings.h"

namespace assay {
namespace {

// When a finding began, for ordering classes: the place in its source, or the last possible place when it is no event.
std::uint64_t Onset(const ClassOfRun& c, const FactView& facts) {
  std::uint64_t onset = std::numeric_limits<std::uint64_t>::max();
  for (const Finding* finding : c.because) {
    for (const Citation& cite : finding->cites) {
      if (facts.source(cite.source).format == "text-log") onset = std::min(onset, cite.begin);
    }
  }
  return onset;
}

// A link names a class, or a finding by which the run is in it.
bool Named(std::string_view name, const ClassOfRun& c) {
  return name == c.failure_class->id ||
         std::any_of(c.because.begin(), c.because.end(), [&](const Finding* f) { return f->info->id == name; });
}

void LinkConsequences(std::vector<ClassOfRun>& all) {
  for (ClassOfRun& later : all) {
    for (const ClassOfRun& first : all) {
      if (&first == &later || later.follows_from != nullptr || first.follows_from == later.failure_class) continue;
      for (const ConsequenceInfo& link : knowledge::Consequences()) {
        if (!Named(link.first, first) || !Named(link.then, later)) continue;
        later.follows_from = first.failure_class;
        later.follows_because = std::string(link.because);
        break;
      }
    }
  }
}

std::vector<ClassOfRun> Classify(const FactView& facts, const Findings& findings) {
  std::vector<ClassOfRun> all;
  for (const FailureClass* failure_class : classes::All()) {
    if (auto assessment = failure_class->assess(facts, findings)) {
      all.push_back({.failure_class = failure_class, .because = std::move(assessment->because)});
    }
  }
  std::stable_sort(all.begin(), all.end(), [&](const ClassOfRun& a, const ClassOfRun& b) {
    return a.failure_class->priority < b.failure_class->priority;
  });
  LinkConsequences(all);
  std::stable_sort(all.begin(), all.end(), [&](const ClassOfRun& a, const ClassOfRun& b) {
    if ((a.follows_from != nullptr) != (b.follows_from != nullptr)) return a.follows_from == nullptr;
    if (a.failure_class->priority / 10 != b.failure_class->priority / 10)
      return a.failure_class->priority < b.failure_class->priority;
    return Onset(a, facts) < Onset(b, facts);
  });
  return all;
}

When Locate(const FactView& facts, const Diagnosis& diagnosis) {
  When when;
  if (diagnosis.classes.empty()) return when;
  const Finding* first = diagnosis.classes.front().because.front();
  when.step = first->step;
  when.epoch = first->epoch;
  when.time = first->time;
  struct PhaseFinding {
    std::string_view id;
    Phase phase;
  };
  static constexpr std::array kPhases{
      PhaseFinding{"import-failure", Phase::kStartup},   PhaseFinding{"launch-error", Phase::kStartup},
      PhaseFinding{"cuda-init-failure", Phase::kInit},   PhaseFinding{"oom-at-init", Phase::kInit},
      PhaseFinding{"oom-at-load", Phase::kInit},         PhaseFinding{"oom-at-eval", Phase::kEval},
      PhaseFinding{"eval-only-nonfinite", Phase::kEval}, PhaseFinding{"first-bad-step-0", Phase::kStep0},
      PhaseFinding{"oom-step-first", Phase::kStep0}};
  for (const PhaseFinding& known : kPhases) {
    if (diagnosis.findings->Has(known.id)) {
      when.phase = known.phase;
      return when;
    }
  }
  const Extent& extent = diagnosis.extent;
  if (!when.step) {
    // The place in the log stands for the step: what was the last step before it?
    for (const MetricTable& table : facts.tables()) {
      for (std::size_t i = 0; i < table.row_count(); ++i) {
        if (table.source == first->cites.front().source && table.row(i).offset <= first->cites.front().begin &&
            table.row(i).step != kNoStep) {
          when.step = table.row(i).step;
        }
      }
    }
  }
  if (!extent.advanced && !extent.last_step) {
    when.phase = extent.last ? Phase::kUnknown : Phase::kStartup;
  } else if (when.step && *when.step <= 1) {
    when.phase = Phase::kStep0;
  } else if (when.step && (*when.step <= 100 || (extent.planned_steps && *when.step * 20 <= *extent.planned_steps))) {
    when.phase = Phase::kEarly;
  } else if (extent.advanced) {
    when.phase = Phase::kMid;
  }
  return when;
}

}  // namespace

std::string_view VerdictId(Verdict verdict) {
  switch (verdict) {
    case Verdict::kConfirmed: return "confirmed";
    case Verdict::kSupported: return "supported";
    case Verdict::kUndetermined: return "undetermined";
    case Verdict::kNoFailureFound: return "no_failure_found";
  }
  return "undetermined";
}

std::string_view VerdictText(Verdict verdict) {
  return verdict == Verdict::kNoFailureFound ? "no failure found" : VerdictId(verdict);
}

std::string_view PhaseName(Phase phase) {
  switch (phase) {
    case Phase::kUnknown: return "unknown";
    case Phase::kStartup: return "startup";
    case Phase::kInit: return "init";
    case Phase::kStep0: return "step0";
    case Phase::kEarly: return "early";
    case Phase::kMid: return "mid";
    case Phase::kEval: return "eval";
    case Phase::kSave: return "save";
    case Phase::kShutdown: return "shutdown";
  }
  return "unknown";
}

Diagnosis Diagnose(const FactView& facts) {
  Diagnosis diagnosis{.findings = std::make_unique<Findings>()};
  Findings& findings = *diagnosis.findings;
  AddSignatureFindings(facts, findings);
  for (const Rule* rule : RulesInOrder()) rule->evaluate(facts, findings);
  diagnosis.extent = ExtentOfRun(facts);
  diagnosis.classes = Classify(facts, findings);

  std::vector<std::string_view> class_ids;
  for (const ClassOfRun& c : diagnosis.classes) class_ids.push_back(c.failure_class->id);
  std::vector<std::string_view> confirmed_ids;
  for (const CauseInfo& cause : knowledge::Causes()) {
    if (std::none_of(class_ids.begin(), class_ids.end(), [&](std::string_view id) { return InClass(cause, id); })) continue;
    Gate::Outcome outcome = Gate::ByDirectEvidence(cause, findings);
    if (outcome.confirmed) {
      confirmed_ids.push_back(cause.id);
      // The verdict is about the first class; what is proved of another stands among the hypotheses.
      if (InClass(cause, class_ids.front())) diagnosis.confirmed.push_back(std::move(*outcome.confirmed));
    } else if (!outcome.missing.empty()) {
      diagnosis.blocked.push_back({&cause, std::move(outcome.missing)});
    }
  }
  diagnosis.hypotheses = RankHypotheses(class_ids, findings, confirmed_ids);
  const auto place = [&](const ConfirmedCause& c) {
    return std::find_if(diagnosis.hypotheses.begin(), diagnosis.hypotheses.end(),
                        [&](const Hypothesis& h) { return h.cause == &c.cause(); }) -
           diagnosis.hypotheses.begin();
  };
  std::stable_sort(diagnosis.confirmed.begin(), diagnosis.confirmed.end(),
                   [&](const ConfirmedCause& x, const ConfirmedCause& y) { return place(x) < place(y); });

  const Health health = AssessHealth(facts, findings, diagnosis.extent);
  diagnosis.routes = health.routes;
  if (diagnosis.classes.empty()) {
    diagnosis.verdict = health.positive ? Verdict::kNoFailureFound : Verdict::kUndetermined;
    diagnosis.healthy_signs = health.signs;
    diagnosis.healthy_cites = health.cites;
  } else if (!diagnosis.confirmed.empty()) {
    diagnosis.verdict = Verdict::kConfirmed;
  } else if (std::any_of(diagnosis.hypotheses.begin(), diagnosis.hypotheses.end(), [&](const Hypothesis& h) {
               return h.status == HypothesisStatus::kSupported && InClass(*h.cause, class_ids.front());
             })) {
    diagnosis.verdict = Verdict::kSupported;
  }
  if (findings.Has("bad-step-fixed")) diagnosis.recurrence = "deterministic";
  if (findings.Has("bad-step-moves")) diagnosis.recurrence = "intermittent";
  diagnosis.when = Locate(facts, diagnosis);
  return diagnosis;
}

}  // namespace assay
