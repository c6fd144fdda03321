// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "surfaces/report_lines.h"
#include "surfaces/reports/report_format.h"

namespace assay::reports {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kReset = "\x1b[0m";

// Columns of a UTF-8 text, one per code point: artifact text was made printable before.
std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

class Page {
 public:
  explicit Page(const RenderOptions& options) : options_(options) {}

  void Heading(std::string_view text) { out_ += fmt::format("\n{}\n", Styled(text, kBold)); }
  void Raw(std::string_view text) { out_ += fmt::format("{}\n", text); }

  // Wrapped at the width; further lines are indented under the text of the first. Words longer than a line stand alone.
  void Wrapped(std::string_view lead, std::string_view text, std::string_view style = {}) {
    const std::size_t indent = Columns(lead);
    std::string line(lead);
    std::size_t column = indent;
    bool fresh = true;
    for (const std::string_view word : Split(text, ' ')) {
      if (word.empty()) continue;
      const std::size_t width = Columns(word);
      if (!fresh && column + 1 + width > options_.width) {
        Flush(line, indent, style);
        line.assign(indent, ' ');
        column = indent;
        fresh = true;
      }
      if (!fresh) {
        line += ' ';
        ++column;
      }
      line += word;
      column += width;
      fresh = false;
    }
    Flush(line, indent, style);
  }

  std::string Styled(std::string_view text, std::string_view style) const {
    return options_.colour && !style.empty() ? fmt::format("{}{}{}", style, text, kReset) : std::string(text);
  }
  std::string Take() { return std::move(out_); }

 private:
  void Flush(const std::string& line, std::size_t indent, std::string_view style) {
    const std::size_t cut = std::min(indent, line.size());
    out_ += line.substr(0, cut) + Styled(std::string_view(line).substr(cut), style) + "\n";
  }
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
  constexpr std::size_t kShown = 8;
  std::size_t shown = 0;
  for (const ReportObservation& o : report.observations) {
    if (++shown > kShown && !options.explain) break;
    page.Wrapped("  -   ", fmt::format("{} {}", o.statement, CitationText(report, o.cites)));
  }
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
    page.Raw("  None: nothing failed that would need one.");
  } else if (shown.size() < report.hypotheses.size()) {
    page.Wrapped(
        "  ",
        fmt::format("{} more are not ruled out or were refuted; --explain lists them.", report.hypotheses.size() - shown.size()),
        kDim);
  }
}

void Experiments(Page& page) {
  page.Heading("3. Smoke and control outcomes");
  page.Raw("  No experiment was run: this is a post-mortem.");
}

void Cause(Page& page, const Report& report) {
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
  constexpr std::size_t kShown = 6;
  for (std::size_t i = 0; i < std::min(kShown, report.not_checked.size()); ++i) {
    page.Wrapped("  Not checked: ",
                 fmt::format("{} ({})", Printable(report.not_checked[i].what, 160), Printable(report.not_checked[i].why)), kDim);
  }
  if (report.not_checked.size() > kShown)
    page.Wrapped(
        "  ", fmt::format("{} more were not checked; --explain or --format json lists them.", report.not_checked.size() - kShown),
        kDim);
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
  page.Wrapped("", RunLine(report), kDim);
  const std::string when = WhenText(report);
  if (!when.empty()) page.Wrapped("", when, kDim);
  Probes(page, report, options);
  Hypotheses(page, report, options);
  Experiments(page);
  Cause(page, report);
  Next(page, report);
  page.Raw(page.Styled(fmt::format("\ncase {}", report.case_id), kDim));
  return page.Take();
}

}  // namespace

extern const ReportFormat terminal;
constinit const ReportFormat terminal{
    .id = "terminal", .title = "For a person at a terminal", .media_type = "text/plain", .extension = ".txt", .render = Render};

}  // namespace assay::reports
