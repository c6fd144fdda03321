// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "surfaces/report_lines.h"
#include "surfaces/reports/report_format.h"

namespace assay::reports {
namespace {

// Text of artifacts must not become markup: a hostile log could otherwise put links or headings into a report.
std::string Plain(std::string_view text) {
  std::string out;
  for (const char c : Printable(text, 2000)) {
    if (std::string_view("\\`*_{}[]<>#|!~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Inside backticks nothing is markup but the backtick itself.
std::string Code(std::string_view text) {
  std::string out = Printable(text, 2000);
  for (char& c : out) c = c == '`' ? '\'' : c;
  return "`" + out + "`";
}

std::string Cites(const Report& report, const std::vector<std::string>& ids) {
  const std::string text = CitationText(report, ids);
  return text.empty() ? std::string() : " " + Code(text);
}

std::string Render(const Report& report, const RenderOptions& options) {
  std::string out = fmt::format("# {}\n\n", Plain(VerdictLine(report)));
  if (const std::string cause = CauseLine(report); !cause.empty()) out += Plain(cause) + "\n\n";
  out += Plain(RunLine(report)) + "\n";
  if (const std::string when = WhenText(report); !when.empty()) out += fmt::format("\n{}\n", Plain(when));

  out += "\n## 1. What the probes showed\n\n";
  for (const ReportFinding& f : report.findings) {
    out += fmt::format("- **{}** {}{}\n", f.id, Plain(f.statement), Cites(report, f.cites));
    const ReportEvidence* e = f.cites.empty() ? nullptr : report.FindEvidence(f.cites.front());
    if (e != nullptr && !e->quote.empty()) out += fmt::format("  > {}\n", Code(e->quote));
  }
  for (const ReportObservation& o : report.observations)
    out += fmt::format("- {}{}\n", Plain(o.statement), Cites(report, o.cites));
  for (const ReportAnomaly& a : report.anomalies) {
    out += fmt::format("- **{}** Anomaly ({}): {} {}\n", a.id, a.kind, Plain(a.statement),
                       Code(fmt::format("{} at byte {}", a.source, a.begin)));
  }
  for (const ReportContradiction& c : report.contradictions)
    out += fmt::format("- **Contradiction:** {}{}\n", Plain(c.statement), Cites(report, c.between));

  out += "\n## 2. Hypotheses\n\n";
  const auto shown = ShownHypotheses(report, options.explain);
  for (const ReportHypothesis* h : shown) {
    out += fmt::format("- **{}** {} ({}): {}", h->id, Code(h->cause), StandingText(*h), Plain(h->statement));
    if (!h->evidence_for.empty()) out += fmt::format(" For: {}.", fmt::join(h->evidence_for, ", "));
    if (!h->evidence_against.empty()) out += fmt::format(" Against: {}.", fmt::join(h->evidence_against, ", "));
    if (!h->note.empty()) out += " " + Plain(h->note);
    out += "\n";
  }
  if (const std::string hidden = HiddenHypothesesText(report, shown); !hidden.empty()) out += fmt::format("\n{}\n", hidden);
  if (report.hypotheses.empty()) out += "None: no failure was seen that would need one.\n";

  out += "\n## 3. Smoke and control outcomes\n\nNo experiment was run: this is a post-mortem.\n\n## 4. Cause or uncertainty\n\n";
  if (report.cause) {
    out += fmt::format("**Root cause (confirmed):** {} ({}){}\n\nWhy this is proof: {}\n", Plain(report.cause->statement),
                       Code(report.cause->id), Cites(report, report.cause->cites), Plain(report.cause->why));
    for (const std::string& excluded : report.cause->rivals_excluded) out += fmt::format("- Excluded: {}\n", Plain(excluded));
  } else if (report.verdict == "no_failure_found") {
    out += "No failure found.\n";
  } else {
    out += fmt::format("**Not determined:** {}\n", Plain(report.uncertainty));
  }
  if (!report.not_checked.empty()) out += "\nNot checked:\n\n";
  for (const ReportGap& gap : report.not_checked) out += fmt::format("- {} ({})\n", Plain(gap.what), Plain(gap.why));

  out += "\n## 5. Recommended next action\n\n";
  for (const ReportAction& a : report.next) {
    out += fmt::format("- {}", Plain(a.action));
    if (!a.command.empty()) out += fmt::format(": {}", Code(a.command));
    if (!a.why.empty()) out += fmt::format(" {}", Plain(a.why));
    out += "\n";
  }
  if (report.next.empty()) out += "None.\n";
  out += fmt::format("\nCase {}\n", Code(report.case_id));
  return out;
}

}  // namespace

extern const ReportFormat markdown;
constinit const ReportFormat markdown{.id = "markdown",
                                      .title = "For notes, issues and pull requests",
                                      .media_type = "text/markdown",
                                      .extension = ".md",
                                      .render = Render};

}  // namespace assay::reports
