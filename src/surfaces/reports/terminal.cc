// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "surfaces/report_lines.h"
#include "surfaces/reports/report_format.h"
#include "surfaces/wrapping.h"

namespace assay::reports {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kReset = "\x1b[0m";

class Page {
 public:
  explicit Page(const RenderOptions& options) : options_(options) {}

  void Heading(std::string_view text) { out_ += fmt::format("\n{}\n", Styled(text, kBold)); }
  void Raw(std::string_view text) { out_ += fmt::format("{}\n", text); }

  // Wrapped at the width; further lines are indented under the text of the first.
  void Wrapped(std::string_view lead, std::string_view text, std::string_view style = {}) {
    const std::size_t indent = DisplayWidth(lead);
    std::string before(lead);
    for (const std::string& line : WrapWords(text, options_.width > indent ? options_.width - indent : 1)) {
      out_ += before + Styled(line, style) + "\n";
      before.assign(indent, ' ');
    }
  }

  std::string Styled(std::string_view text, std::string_view style) const {
    return options_.colour && !style.empty() ? fmt::format("{}{}{}", style, text, kReset) : std::string(text);
  }
  std::string Take() { return std::move(out_); }

 private:
  const RenderOptions& options_;
  std::string out_;
};

std::string_view VerdictStyle(const Report& report) {
  if (report.verdict == "no_failure_found") return kGreen;
  return report.verdict == "confirmed" ? kRed : kYellow;
}

// The line that a citation quotes, cut to one line and marked as a quotation.
void Quote(Page& page, const Report& report, const RenderOptions& options, const std::vector<std::string>& ids) {
  if (ids.empty()) return;
  const ReportEvidence* e = report.FindEvidence(ids.front());
  if (e == nullptr || e->quote.empty()) return;
  page.Raw(page.Styled("      > " + Printable(e->quote, options.width > 24 ? options.width - 9 : 15), kDim));
}

void Probes(Page& page, const Report& report, const RenderOptions& options) {
  page.Heading("1. What the probes showed");
  for (const ReportFinding& f : report.findings) {
    page.Wrapped(fmt::format("  {:<4}", f.id), fmt::format("{} {}", f.statement, CitationText(report, f.cites)));
    Quote(page, report, options, f.cites);
  }
  const std::size_t shown = options.explain ? report.observations.size() : std::min<std::size_t>(8, report.observations.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ReportObservation& o = report.observations[i];
    page.Wrapped("  -   ", fmt::format("{} {}", o.statement, CitationText(report, o.cites)));
  }
  if (shown < report.observations.size())
    page.Wrapped("  ", fmt::format("{} more; --explain shows them.", report.observations.size() - shown), kDim);
  constexpr std::size_t kAnomalies = 10;
  const std::size_t anomalies = options.explain ? report.anomalies.size() : std::min(kAnomalies, report.anomalies.size());
  for (std::size_t i = 0; i < anomalies; ++i) {
    const ReportAnomaly& a = report.anomalies[i];
    page.Wrapped(fmt::format("  {:<4}", a.id),
                 fmt::format("Anomaly ({}): {} [{} at byte {}]", a.kind, a.statement, Printable(a.source, 120), a.begin));
  }
  if (anomalies < report.anomalies.size())
    page.Wrapped("  ",
                 fmt::format("{} more anomalies; --explain or --format json lists them.", report.anomalies.size() - anomalies),
                 kDim);
  for (const ReportContradiction& c : report.contradictions) {
    page.Wrapped("  !   ", fmt::format("Contradiction: {} {}", c.statement, CitationText(report, c.between)), kYellow);
  }
  if (report.findings.empty() && report.observations.empty() && report.anomalies.empty())
    page.Raw("  Nothing that a reader of assay understands.");
}

std::string Joined(const std::vector<std::string>& ids) { return fmt::format("{}", fmt::join(ids, " ")); }

void Hypotheses(Page& page, const Report& report, const RenderOptions& options) {
  page.Heading("2. Hypotheses");
  const auto shown = ShownHypotheses(report, options.explain);
  for (const ReportHypothesis* h : shown) {
    const std::string standing =
        options.explain ? fmt::format("{}, {:+.1f} bits", StandingText(*h), h->odds_bits) : StandingText(*h);
    page.Wrapped(fmt::format("  {:<4}", h->id), fmt::format("{} ({}): {}", h->cause, standing, h->statement),
                 h->status == "refuted" ? kDim : std::string_view{});
    if (!h->evidence_for.empty() || !h->evidence_against.empty()) {
      page.Wrapped("      ",
                   fmt::format("for: {}{}", h->evidence_for.empty() ? "-" : Joined(h->evidence_for),
                               h->evidence_against.empty() ? "" : "; against: " + Joined(h->evidence_against)),
                   kDim);
    }
    if (!h->note.empty()) page.Wrapped("      ", h->note, kDim);
  }
  if (report.hypotheses.empty()) {
    page.Raw("  None: no failure was seen that would need one.");
  } else if (const std::string hidden = HiddenHypothesesText(report, shown); !hidden.empty()) {
    page.Wrapped("  ", hidden, kDim);
  }
}

void Experiments(Page& page) {
  page.Heading("3. Smoke and control outcomes");
  page.Raw("  No experiment was run: this is a post-mortem.");
}

void Cause(Page& page, const Report& report, const RenderOptions& options) {
  page.Heading("4. Cause or uncertainty");
  if (report.cause) {
    page.Wrapped("  ",
                 fmt::format("Root cause (confirmed): {} [{}] {}", report.cause->statement, report.cause->id,
                             CitationText(report, report.cause->cites)),
                 kBold);
    page.Wrapped("  ", fmt::format("Why this is proof: {}", report.cause->why));
    for (const std::string& excluded : report.cause->rivals_excluded)
      page.Wrapped("  ", fmt::format("Excluded: {}", excluded), kDim);
  } else if (report.verdict == "no_failure_found") {
    page.Raw("  No failure found.");
  } else {
    page.Wrapped("  ", fmt::format("Not determined: {}", report.uncertainty));
  }
  const std::size_t shown = options.explain ? report.not_checked.size() : std::min<std::size_t>(6, report.not_checked.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ReportGap& gap = report.not_checked[i];
    page.Wrapped("  Not checked: ", fmt::format("{} ({})", Printable(gap.what, 160), Printable(gap.why)), kDim);
  }
  if (shown < report.not_checked.size())
    page.Wrapped("  ", fmt::format("{} more were not checked; --explain lists them.", report.not_checked.size() - shown), kDim);
}

void Next(Page& page, const Report& report) {
  page.Heading("5. Recommended next action");
  for (const ReportAction& a : report.next) {
    page.Wrapped("  - ", a.action);
    if (!a.command.empty()) page.Raw("      $ " + page.Styled(a.command, kBold));
    if (!a.why.empty()) page.Wrapped("      ", a.why, kDim);
  }
  if (report.next.empty()) page.Raw(report.verdict == "no_failure_found" ? "  None." : "  Nothing that assay could propose.");
}

std::string Render(const Report& report, const RenderOptions& options) {
  Page page(options);
  page.Wrapped("", VerdictLine(report), options.colour ? VerdictStyle(report) : std::string_view{});
  if (const std::string cause = CauseLine(report); !cause.empty()) page.Wrapped("", cause, report.cause ? kBold : kDim);
  page.Wrapped("", RunLine(report), kDim);
  const std::string when = WhenText(report);
  if (!when.empty()) page.Wrapped("", when, kDim);
  Probes(page, report, options);
  Hypotheses(page, report, options);
  Experiments(page);
  Cause(page, report, options);
  Next(page, report);
  page.Raw(page.Styled(fmt::format("\ncase {}", report.case_id), kDim));
  return page.Take();
}

}  // namespace

extern const ReportFormat terminal;
constinit const ReportFormat terminal{
    .id = "terminal", .title = "For a person at a terminal", .media_type = "text/plain", .extension = ".txt", .render = Render};

}  // namespace assay::reports
