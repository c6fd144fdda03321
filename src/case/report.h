// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that a report says, with its ids, ready to be printed by any format. The JSON form is the stable one that other
// programs rely on (docs/reference/report.md); every other format says the same sentences.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace assay {

struct ReportRun {
  std::string id;
  std::string project;
  std::string chosen_because;  // "the newest of 3 runs"
  std::optional<std::string> command;
  std::optional<std::string> commit;
  std::optional<bool> dirty;
  std::optional<std::string> started;
  std::optional<std::string> ended;
  std::optional<int> ranks;
};

struct ReportClass {
  std::string id;
  std::string title;
  int rank = 1;
  std::vector<std::string> because;  // finding ids
  std::optional<std::string> follows_from;
  std::string follows_because;
};

struct ReportCause {
  std::string id;
  std::string statement;
  std::string how;                 // "direct" | "experiment"
  std::vector<std::string> cites;  // evidence ids
  std::vector<std::string> rivals_excluded;
  std::string why;  // why the proof suffices
  std::string fix;
};

struct ReportHypothesis {
  std::string id;
  std::string cause;
  std::string statement;
  std::string status;
  double odds_bits = 0;
  std::vector<std::string> evidence_for;  // finding ids
  std::vector<std::string> evidence_against;
  std::vector<std::string> decided_by;  // experiments, as commands' arguments
  std::string note;                     // why it is refuted, or what keeps it from being confirmed
  std::string predicts;                 // what the deciding experiment would show if it were true
};

struct ReportFinding {
  std::string id;
  std::string rule;
  std::string finding;
  std::string statement;
  std::vector<std::string> cites;
};

struct ReportEvidence {
  std::string id;
  std::string source;
  std::string absolute_path;  // empty for readings
  bool has_range = false;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t line = 0;
  std::string quote;
  std::string digest;  // SHA-256 of the cited bytes
  std::optional<std::int64_t> step;
  std::optional<int> rank;
  std::optional<std::string> time;
};

struct ReportAnomaly {
  std::string id;
  std::string kind;
  std::string source;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t bytes_lost = 0;
  std::string statement;
};

struct ReportObservation {  // a line of "what the probes showed" that is no finding
  std::string statement;
  std::vector<std::string> cites;
};

struct ReportContradiction {
  std::vector<std::string> between;  // evidence ids
  std::string statement;
};

struct ReportGap {
  std::string what;
  std::string why;
};

struct ReportAction {
  std::string action;
  std::string command;  // empty: none
  std::string why;
};

struct Report {
  ReportRun run;
  std::string verdict;
  std::string mode;  // class asked for with --mode, or empty
  std::vector<ReportClass> classes;
  std::string phase = "unknown";
  std::optional<std::int64_t> step;
  std::optional<double> epoch;
  std::optional<std::string> time;
  std::string recurrence = "unknown";
  std::optional<ReportCause> cause;
  std::string uncertainty;  // part 4 where there is no cause
  std::vector<ReportHypothesis> hypotheses;
  std::vector<ReportFinding> findings;
  std::vector<ReportObservation> observations;
  std::vector<ReportEvidence> evidence;
  std::vector<ReportContradiction> contradictions;
  std::vector<ReportGap> not_checked;
  std::vector<ReportAnomaly> anomalies;
  std::vector<ReportAction> next;
  std::string case_id;

  const ReportEvidence* FindEvidence(const std::string& id) const;
  const ReportFinding* FindFinding(const std::string& id) const;
};

// Makes every text that may hold bytes of an artifact safe to print (base/text.h, Printable) and takes secrets out of it. Reports
// come from BuildReport, which ends with this, and from ReportFromRecord, which does the same to every text of the record, so
// that no format needs to think of it.
void Disarm(Report& report);

// The object of docs/reference/report.md, keys in its order, one line a top-level key; ends with a newline.
std::string ReportToJson(const Report& report);

// What the case keeps, so that every format can be made again later: the object above and what only people read.
std::string ReportToRecord(const Report& report);  // one line, without newline
Result<Report> ReportFromRecord(const std::string& line);

}  // namespace assay
