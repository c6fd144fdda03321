// SPDX-License-Identifier: Apache-2.0
#include "surfaces/report_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace assay {

std::string CitationText(const Report& report, const std::vector<std::string>& ids) {
  std::string out;
  std::size_t shown = 0;
  for (const std::string& id : ids) {
    const ReportEvidence* e = report.FindEvidence(id);
    if (e == nullptr) continue;
    if (++shown > 3) {
      out += fmt::format(" and {} more", ids.size() - 3);
      break;
    }
    std::string place = Printable(e->source, 120);
    if (e->line > 0) {
      place += fmt::format(":{}", e->line);
    } else if (e->has_range) {
      place += fmt::format(" at byte {}", e->begin);
    }
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", id, place);
  }
  return out.empty() ? std::string() : "[" + out + "]";
}

std::string VerdictLine(const Report& report) {
  std::string verdict = report.verdict;
  for (char& c : verdict) c = c == '_' ? ' ' : c;
  if (report.classes.empty()) {
    return report.verdict == "no_failure_found" ? verdict : verdict + ": too little to judge";
  }
  std::string out = fmt::format("{}: {} ({})", verdict, report.classes.front().title, report.classes.front().id);
  for (std::size_t i = 1; i < report.classes.size(); ++i) {
    const ReportClass& c = report.classes[i];
    out += fmt::format("; {} {}", c.follows_from ? "which led to" : "also", c.id);
  }
  return out;
}

std::string CauseLine(const Report& report) {
  if (report.cause) return fmt::format("cause: {} [{}]", WithoutStop(report.cause->statement), report.cause->id);
  if (report.classes.empty()) return {};
  return report.verdict == "supported" ? "cause: not proved; part 2 ranks what it may be, part 5 says what would decide"
                                       : "cause: not known yet; part 2 ranks what it may be, part 5 says what would decide";
}

std::string RunLine(const Report& report) {
  std::string out = fmt::format("run {}", Printable(report.run.id, 80));
  if (!report.run.chosen_because.empty()) out += fmt::format(" ({})", report.run.chosen_because);
  if (report.run.started && report.run.ended) out += fmt::format(", {} to {}", *report.run.started, *report.run.ended);
  return out;
}

std::string WhenText(const Report& report) {
  std::string out;
  if (report.step) out = fmt::format("at step {}", *report.step);
  if (!report.step && report.epoch) out = fmt::format("in epoch {}", FormatNumber(*report.epoch));
  if (report.phase != "unknown") out += fmt::format("{}phase: {}", out.empty() ? "" : ", ", report.phase);
  if (report.recurrence != "unknown") out += fmt::format("{}{}", out.empty() ? "" : ", ", report.recurrence);
  return out;
}

std::vector<const ReportHypothesis*> ShownHypotheses(const Report& report, bool all) {
  constexpr std::size_t kShown = 5;
  std::vector<const ReportHypothesis*> shown;
  for (const ReportHypothesis& h : report.hypotheses) {
    const bool settled = h.status == "confirmed" || h.status == "supported";
    if (all || settled || (h.status == "open" && shown.size() < kShown)) shown.push_back(&h);
  }
  return shown;
}

std::string HiddenHypothesesText(const Report& report, const std::vector<const ReportHypothesis*>& shown) {
  const auto refuted = [](const ReportHypothesis& h) { return h.status == "refuted"; };
  const auto all_refuted = std::count_if(report.hypotheses.begin(), report.hypotheses.end(), refuted);
  const auto shown_refuted = std::count_if(shown.begin(), shown.end(), [&](const ReportHypothesis* h) { return refuted(*h); });
  const auto hidden = report.hypotheses.size() - shown.size();
  if (hidden == 0) return {};
  const auto ruled_out = static_cast<std::size_t>(all_refuted - shown_refuted);
  std::string out;
  if (hidden > ruled_out) out = fmt::format("{} more, less likely, are not ruled out", hidden - ruled_out);
  if (ruled_out > 0) out += fmt::format("{}{} {} ruled out", out.empty() ? "" : "; ", ruled_out, ruled_out == 1 ? "is" : "are");
  return out + "; --explain lists them.";
}

std::string StandingText(const ReportHypothesis& h) {
  if (h.status != "open") return h.status;
  if (h.evidence_for.empty()) return "open, nothing speaks for it yet";
  return h.evidence_against.empty() ? "open" : "open, with evidence on both sides";
}

}  // namespace assay
