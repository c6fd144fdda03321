// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "case/report.h"

namespace assay::testing {

// Text as a hostile log would hold it: terminal controls, reordering, markup, quotes, damage.
inline const std::string kHostile =
    "\x1b[2J\x07 \xE2\x80\xAE evil \xff <script>alert(1)</script> [link](http://x) `code` | # * \"quoted\" \\";

// Every field that a file can reach filled with `text`, every list `count` long, disarmed as every report is.
inline Report FilledReport(const std::string& text, std::size_t count) {
  Report r;
  r.run = {.id = text,
           .project = text,
           .chosen_because = text,
           .command = text,
           .commit = text,
           .dirty = true,
           .started = "2026-01-01T00:00:00Z",
           .ended = "2026-01-01T01:00:00Z",
           .ranks = 8};
  r.verdict = "supported";
  r.uncertainty = text;
  r.case_id = "0123456789ab";
  r.step = 3100;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i + 1);
    r.classes.push_back({.id = "oom", .title = "Out of memory", .rank = static_cast<int>(i + 1), .because = {"F" + n}});
    r.findings.push_back({"F" + n, "rule", "finding", text, {"E" + n}});
    r.evidence.push_back({.id = "E" + n,
                          .source = text,
                          .absolute_path = text,
                          .has_range = true,
                          .begin = i,
                          .end = i + 5,
                          .line = i + 1,
                          .quote = text,
                          .digest = "00"});
    r.hypotheses.push_back({.id = "H" + n,
                            .cause = "cause-" + n,
                            .statement = "Something was seen.",
                            .status = "open",
                            .odds_bits = 1.5,
                            .evidence_for = {"F" + n},
                            .decided_by = {"control precision"},
                            .note = text,
                            .predicts = "it would be gone"});
    r.observations.push_back({text, {"E" + n}});
    r.contradictions.push_back({{"E" + n, "E" + n}, text});
    r.not_checked.push_back({text, text});
    r.anomalies.push_back({"A" + n, "corrupt", text, i, i + 1, 1, text});
    r.next.push_back({text, text, text});
  }
  Disarm(r);
  return r;
}

}  // namespace assay::testing
