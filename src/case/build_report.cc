// SPDX-License-Identifier: Apache-2.0
#include "case/build_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "case/observations.h"
#include "evidence/discovery/quote_reader.h"

namespace assay {
namespace {

constexpr std::size_t kQuoteLimit = 400;

// Gives evidence its number at first citation, so that the report's order is stable.
class EvidenceBook {
 public:
  EvidenceBook(const FactView& facts, const FileSystem& files, Report& report) : facts_(facts), files_(files), report_(report) {}

  std::vector<std::string> Cite(const std::vector<Citation>& cites, const Finding* finding = nullptr) {
    std::vector<std::string> ids;
    for (const Citation& cite : cites) ids.push_back(Cite(cite, finding));
    return ids;
  }

  std::string Cite(const Citation& cite, const Finding* finding = nullptr) {
    const auto key = std::tuple(static_cast<std::uint32_t>(cite.source), cite.begin, cite.end);
    const auto it = known_.find(key);
    if (it != known_.end()) return it->second;
    ASSAY_CHECK(static_cast<std::size_t>(cite.source) < facts_.sources().size());
    const Source& source = facts_.source(cite.source);
    ReportEvidence evidence{
        .id = fmt::format("E{}", report_.evidence.size() + 1),
        .source = source.path,
        .absolute_path = source.absolute_path,
        .has_range = source.kind == SourceKind::kArtifact && cite.end >= cite.begin && !(cite.begin == 0 && cite.end == 0),
        .begin = cite.begin,
        .end = cite.end,
        .line = cite.line};
    if (finding != nullptr) {
      evidence.step = finding->step;
      evidence.rank = finding->rank;
      if (finding->time) evidence.time = FormatTime(*finding->time);
    }
    known_.emplace(key, evidence.id);
    cites_.push_back(cite);
    report_.evidence.push_back(std::move(evidence));
    return report_.evidence.back().id;
  }

  // Fills in quotes, lines and digests, one pass over each source.
  void ReadQuotesOfAll() {
    std::map<std::uint32_t, std::vector<std::size_t>> by_source;
    for (std::size_t i = 0; i < cites_.size(); ++i) by_source[static_cast<std::uint32_t>(cites_[i].source)].push_back(i);
    for (const auto& [source, indices] : by_source) {
      std::vector<Citation> cites;
      for (const std::size_t i : indices) cites.push_back(cites_[i]);
      const auto quotes = ReadQuotes(files_, facts_.source(SourceId{source}), cites);
      for (std::size_t n = 0; n < indices.size(); ++n) {
        ReportEvidence& evidence = report_.evidence[indices[n]];
        if (!quotes[n]) continue;
        evidence.quote = Printable(Trim(quotes[n]->bytes), kQuoteLimit);
        evidence.digest = Sha256Hex(quotes[n]->bytes);
        if (evidence.line == 0 && evidence.has_range) evidence.line = quotes[n]->line;
      }
    }
  }

 private:
  const FactView& facts_;
  const FileSystem& files_;
  Report& report_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, std::string> known_;
  std::vector<Citation> cites_;
};

// What speaks for the first hypothesis comes first, the strongest before the others, then what puts the run into its class, then
// the rest.
std::vector<const Finding*> InReportOrder(const Diagnosis& diagnosis) {
  const std::vector<const Finding*> speaking =
      diagnosis.hypotheses.empty() ? std::vector<const Finding*>() : diagnosis.hypotheses.front().evidence_for;
  const auto place = [&](const Finding* finding) {
    const auto found = std::find(speaking.begin(), speaking.end(), finding);
    if (found != speaking.end() || diagnosis.classes.empty()) return found - speaking.begin();
    const Texts classes = finding->info->symptom_of;
    const bool symptom = std::find(classes.begin(), classes.end(), diagnosis.classes.front().failure_class->id) != classes.end();
    return (found - speaking.begin()) + (symptom ? 0 : 1);
  };
  std::vector<const Finding*> order;
  for (const Finding& finding : diagnosis.findings->all()) order.push_back(&finding);
  std::stable_sort(order.begin(), order.end(), [&](const Finding* a, const Finding* b) { return place(a) < place(b); });
  return order;
}

std::string FindingId(const Diagnosis& diagnosis, const Finding* finding) {
  const std::vector<const Finding*> order = InReportOrder(diagnosis);
  const auto found = std::find(order.begin(), order.end(), finding);
  return found == order.end() ? "" : fmt::format("F{}", found - order.begin() + 1);
}

std::vector<std::string> FindingIds(const Diagnosis& diagnosis, const std::vector<const Finding*>& findings) {
  std::vector<std::string> ids;
  for (const Finding* finding : findings) ids.push_back(FindingId(diagnosis, finding));
  return ids;
}

const SmokeInfo* SmokeOf(std::string_view experiment) {
  for (const SmokeInfo& smoke : knowledge::Smokes()) {
    if (fmt::format("{}={}", smoke.axis, smoke.value) == experiment) return &smoke;
  }
  return nullptr;
}

// "control precision=float32", "smoke batch-one": the words after `assay` that would run the experiment.
std::string ExperimentCommand(std::string_view experiment) {
  const SmokeInfo* smoke = SmokeOf(experiment);
  return smoke == nullptr ? fmt::format("control {}", experiment) : fmt::format("smoke {}", smoke->id);
}

// What a person changes who runs the experiment by hand: "numerical precision (precision)".
std::string ExperimentByHand(std::string_view experiment) {
  const SmokeInfo* smoke = SmokeOf(experiment);
  std::string title(smoke == nullptr ? knowledge::FindAxis(experiment)->title : smoke->title);
  title.front() = ToLower(title.substr(0, 1)).front();
  return fmt::format("{} ({})", title, experiment);
}

// The experiments that tell a cause from the rest, best first.
Texts DecidingExperiments(const CauseInfo& cause) { return cause.gone.empty() ? cause.changes : cause.gone; }

void AddHypotheses(const Diagnosis& diagnosis, Report& report) {
  for (const Hypothesis& h : diagnosis.hypotheses) {
    const CauseInfo& cause = *h.cause;
    ReportHypothesis out{.id = fmt::format("H{}", report.hypotheses.size() + 1),
                         .cause = std::string(cause.id),
                         .statement = std::string(cause.statement),
                         .status = std::string(StatusName(h.status)),
                         .odds_bits = h.score,
                         .evidence_for = FindingIds(diagnosis, h.evidence_for),
                         .evidence_against = FindingIds(diagnosis, h.evidence_against),
                         .note = h.refuted_by};
    const Texts deciding = DecidingExperiments(cause);
    for (std::size_t i = 0; i < std::min<std::size_t>(deciding.size(), 3); ++i)
      out.decided_by.push_back(ExperimentCommand(deciding[i]));
    if (!deciding.empty())
      out.predicts = fmt::format("with {}{} the symptom would {}", deciding.front(),
                                 deciding.front().find('=') == std::string_view::npos ? " changed" : "",
                                 cause.gone.empty() ? "change" : "be gone");
    for (const Diagnosis::Blocked& blocked : diagnosis.blocked) {
      if (blocked.cause == &cause) out.note = fmt::format("There is direct evidence, but {}.", fmt::join(blocked.missing, "; "));
    }
    if (h.contradicted && out.note.empty()) out.note = "Contradicted by what was found.";
    report.hypotheses.push_back(std::move(out));
  }
}

void AddCause(const Diagnosis& diagnosis, EvidenceBook& book, Report& report) {
  if (diagnosis.confirmed.empty()) return;
  const ConfirmedCause& confirmed = diagnosis.confirmed.front();
  ReportCause cause{.id = std::string(confirmed.cause().id),
                    .statement = std::string(confirmed.cause().statement),
                    .how = confirmed.how() == ConfirmedCause::How::kDirect ? "direct" : "experiment",
                    .rivals_excluded = confirmed.excluded(),
                    .why = std::string(confirmed.cause().direct_proof),
                    .fix = std::string(confirmed.cause().fix)};
  for (const Finding* finding : confirmed.proof()) {
    for (std::string& id : book.Cite(finding->cites, finding)) cause.cites.push_back(std::move(id));
  }
  report.cause = std::move(cause);
}

std::string Uncertainty(const Diagnosis& diagnosis) {
  if (diagnosis.verdict == Verdict::kNoFailureFound) return {};
  if (diagnosis.classes.empty()) {
    return "Too little to judge: no symptom was found, and no sign that the run reached its end.";
  }
  std::vector<std::string> names;
  for (const Hypothesis& h : diagnosis.hypotheses) {
    if (h.status == HypothesisStatus::kRefuted || names.size() == 3) continue;
    names.push_back(std::string(h.cause->id));
  }
  if (diagnosis.verdict == Verdict::kSupported) {
    return fmt::format("The evidence points at {}, and does not prove it.", names.empty() ? "nothing" : names.front());
  }
  if (names.empty()) return "What happened is established; no cause of the catalogue explains it.";
  return fmt::format("What happened is established; the cause is not. It remains possible: {}.", fmt::join(names, ", "));
}

void AddGaps(const FactView& facts, const Diagnosis& diagnosis, const CaseInput& input, Report& report) {
  // What was asked for is answered first.
  if (!input.mode.empty()) {
    const auto has = std::any_of(diagnosis.classes.begin(), diagnosis.classes.end(),
                                 [&](const ClassOfRun& c) { return c.failure_class->mode == input.mode; });
    if (!has)
      report.not_checked.push_back(
          {fmt::format("mode {}", input.mode), "asked for and no symptom of it was found in what could be read"});
  }
  // What would move a hypothesis that is still possible comes first: the rest is said for completeness.
  std::set<std::string_view> wanted;
  for (const Hypothesis& h : diagnosis.hypotheses) {
    if (h.status == HypothesisStatus::kRefuted) continue;
    for (const Weight& w : h.cause->evidence_for) wanted.insert(w.finding);
    if (wanted.size() > 60) break;
  }
  std::vector<Findings::Unchecked> unchecked = diagnosis.findings->unchecked();
  std::stable_partition(unchecked.begin(), unchecked.end(),
                        [&](const Findings::Unchecked& u) { return wanted.contains(u.info->id); });
  for (const NotChecked& n : facts.not_checked()) report.not_checked.push_back({n.what, n.why});
  for (const Findings::Unchecked& u : unchecked) report.not_checked.push_back({std::string(u.info->title), u.why});
  // Findings that would matter for an open hypothesis and can only come from where assay did not look, by source.
  std::map<std::string_view, std::set<std::string_view>> by_source;
  std::size_t looked = 0;
  for (const Hypothesis& h : diagnosis.hypotheses) {
    if (h.status == HypothesisStatus::kRefuted || ++looked > 8) continue;
    for (const Weight& w : h.cause->evidence_for) {
      const FindingInfo* info = knowledge::FindFinding(w.finding);
      if (w.bits < 2 || diagnosis.findings->Has(w.finding)) continue;
      const bool reachable = std::any_of(info->sources.begin(), info->sources.end(),
                                         [](std::string_view s) { return knowledge::FindEvidenceSource(s)->landed; });
      if (!reachable && !info->sources.empty()) by_source[info->sources.front()].insert(info->id);
    }
  }
  for (const auto& [source, ids] : by_source) {
    const SourceInfo* info = knowledge::FindEvidenceSource(source);
    report.not_checked.push_back(
        {std::string(info->title), fmt::format("would show {}; this version cannot look there", fmt::join(ids, ", "))});
  }
}

void AddNext(const Diagnosis& diagnosis, Report& report) {
  for (const Route& route : diagnosis.routes)
    report.next.push_back({route.what, "", fmt::format("This belongs to {}.", route.where)});
  if (report.cause) {
    report.next.push_back({report.cause->fix, "", fmt::format("It is the cure of {}, which is confirmed.", report.cause->id)});
  }
  std::size_t proposed = 0;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < report.hypotheses.size(); ++i) {
    const ReportHypothesis& h = report.hypotheses[i];
    if (report.cause || h.status == "refuted" || h.decided_by.empty() || proposed == 3) continue;
    if (!seen.insert(h.decided_by.front()).second) continue;
    ++proposed;
    // A person makes the experiment: this version does not.
    report.next.push_back({fmt::format("Decide {} ({}) by hand: run the training again with this one change: {}.", h.id, h.cause,
                                       ExperimentByHand(DecidingExperiments(*diagnosis.hypotheses[i].cause).front())),
                           "", fmt::format("If {} is the cause, {}.", h.cause, h.predicts)});
  }
  if (diagnosis.verdict == Verdict::kUndetermined && diagnosis.classes.empty()) {
    report.next.push_back({"Give assay more of the run: its last log, its exit status or its scheduler record.", "",
                           "They would tell whether it failed. `assay list runs` shows what else lies here."});
  }
}

std::optional<std::string> OptionalTime(const std::optional<Time>& time) {
  if (!time) return std::nullopt;
  return FormatTime(*time);
}

}  // namespace

Report BuildReport(const CaseInput& input, const FactView& facts, const Diagnosis& diagnosis, const FileSystem& files) {
  Report report;
  report.run = DescribeRun(facts);
  report.run.id = input.run_id;
  report.run.project = input.project;
  report.run.chosen_because = input.chosen_because;
  report.mode = input.mode;
  report.verdict = std::string(VerdictId(diagnosis.verdict));
  EvidenceBook book(facts, files, report);

  AddCause(diagnosis, book, report);
  for (const Finding* shown : InReportOrder(diagnosis)) {
    const Finding& finding = *shown;
    report.findings.push_back({.id = fmt::format("F{}", report.findings.size() + 1),
                               .rule = std::string(finding.rule),
                               .finding = std::string(finding.info->id),
                               .statement = finding.survived ? finding.statement + " The run went on." : finding.statement,
                               .cites = book.Cite(finding.cites, &finding)});
  }
  for (std::size_t i = 0; i < diagnosis.healthy_signs.size(); ++i) {
    report.observations.push_back({diagnosis.healthy_signs[i], {book.Cite(diagnosis.healthy_cites[i])}});
  }
  for (const Observation& o : Observe(facts, diagnosis.extent)) report.observations.push_back({o.statement, book.Cite(o.cites)});
  for (std::size_t i = 0; i < diagnosis.classes.size(); ++i) {
    const ClassOfRun& c = diagnosis.classes[i];
    report.classes.push_back(
        {.id = std::string(c.failure_class->id),
         .title = std::string(c.failure_class->title),
         .rank = static_cast<int>(i + 1),
         .because = FindingIds(diagnosis, c.because),
         .follows_from = c.follows_from == nullptr ? std::nullopt : std::optional(std::string(c.follows_from->id)),
         .follows_because = c.follows_because});
  }
  report.phase = std::string(PhaseName(diagnosis.when.phase));
  report.step = diagnosis.when.step;
  report.epoch = diagnosis.when.epoch;
  report.time = OptionalTime(diagnosis.when.time);
  report.recurrence = diagnosis.recurrence;
  AddHypotheses(diagnosis, report);
  for (const Contradiction& c : diagnosis.findings->contradictions()) {
    report.contradictions.push_back({{book.Cite(c.one), book.Cite(c.other)}, c.statement});
  }
  for (const Anomaly& a : facts.anomalies()) {
    report.anomalies.push_back({.id = fmt::format("A{}", report.anomalies.size() + 1),
                                .kind = AnomalyName(a.kind),
                                .source = a.cite.source == kNoSource ? "" : facts.source(a.cite.source).path,
                                .begin = a.cite.begin,
                                .end = a.cite.end,
                                .bytes_lost = a.bytes_lost,
                                .statement = a.statement});
  }
  book.ReadQuotesOfAll();
  if (!report.cause) report.uncertainty = Uncertainty(diagnosis);
  AddGaps(facts, diagnosis, input, report);
  AddNext(diagnosis, report);

  std::string identity = input.run_id;
  for (const ReportEvidence& e : report.evidence) identity += "\n" + e.source + " " + e.digest;
  report.case_id = Sha256Hex(identity).substr(0, 12);
  Disarm(report);
  return report;
}

}  // namespace assay
