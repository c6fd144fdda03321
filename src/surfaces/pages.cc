// SPDX-License-Identifier: Apache-2.0
#include "surfaces/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "evidence/dialects/dialect.h"
#include "evidence/formats/format.h"
#include "evidence/probes/probe.h"
#include "knowledge/tables.h"
#include "reasoning/classes/failure_class.h"
#include "reasoning/rules/rule.h"
#include "surfaces/reports/report_format.h"

namespace assay {
namespace {

std::string List(const Texts& texts) {
  std::string out;
  for (const std::string_view text : texts) out += fmt::format("- {}\n", text);
  return out;
}

std::string Joined(const Texts& texts) {
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts.begin(), texts.end(), ", "));
}

std::string Section(std::string_view heading, std::string_view body) {
  return body.empty() ? std::string() : fmt::format("\n## {}\n\n{}", heading, body);
}

std::string Sentence(std::string_view text) {
  return fmt::format("{}{}\n", text, text.ends_with('.') || text.ends_with('?') ? "" : ".");
}

std::string ClassPage(std::string_view id) {
  const FailureClass* c = classes::Find(id);
  std::string questions;
  for (std::size_t i = 0; i < c->decision_tree.size(); ++i) {
    const Question& q = c->decision_tree[i];
    questions += fmt::format("{}. {} (`{}`)\n", i + 1, q.ask, fmt::join(q.answered_by.begin(), q.answered_by.end(), "`, `"));
  }
  std::string causes;
  for (const CauseInfo& cause : knowledge::Causes()) {
    if (cause.failure_class == id) causes += fmt::format("- `{}`: {}\n", cause.id, cause.statement);
  }
  return fmt::format("# {} (`{}`)\n\n{}\n", c->title, c->id, c->counts) + Section("Questions, in this order", questions) +
         Section("Causes", causes);
}

std::string Weights(std::span<const Weight> weights) {
  std::string out;
  for (const Weight& w : weights) {
    const FindingInfo* info = knowledge::FindFinding(w.finding);
    out += fmt::format("- `{}` ({:+} bits): {}\n", w.finding, w.bits, info == nullptr ? "" : info->title);
  }
  return out;
}

std::string DirectProof(const CauseInfo& c) {
  if (c.proofs.empty()) return Sentence(c.no_direct_proof);
  std::string out = Sentence(c.direct_proof) + "\nProofs, any one of them:\n";
  for (const Proof& p : c.proofs) out += fmt::format("- `{}`\n", fmt::join(p.findings.begin(), p.findings.end(), "` and `"));
  if (!c.look_alikes.empty()) out += "\nLook-alikes, each of which a finding must exclude:\n";
  for (const LookAlike& l : c.look_alikes) {
    out += fmt::format("- {} ({})\n", l.is,
                       l.excluded_by.empty() ? "no source that assay reads yet can exclude it, so it is never claimed"
                                             : "excluded by " + Joined(l.excluded_by));
  }
  return out;
}

std::string CausePage(std::string_view id) {
  const CauseInfo& c = *knowledge::FindCause(id);
  std::string rivals;
  for (const Rival& r : c.rivals) rivals += fmt::format("- `{}`: {}\n", r.cause, r.separated_by);
  const std::string shows =
      fmt::format("- The symptom is gone with: {}\n- It changes with: {}\n- It stays with: {}\n- Says nothing: {}\n",
                  Joined(c.gone), Joined(c.changes), Joined(c.stays), Joined(c.not_applicable));
  return fmt::format("# {} (`{}`)\n\n{}\n\nA {} fault; prior {} bits inside its class{}.{}\n", c.id, c.failure_class, c.statement,
                     c.kind, c.prior, c.also.empty() ? "" : ", also in " + Joined(c.also),
                     c.validated
                         ? ""
                         : " No case of its own validates its experiments yet: it ranks, and no experiment alone confirms it.") +
         Section("Speaks for it", Weights(c.evidence_for)) + Section("Speaks against it", Weights(c.evidence_against)) +
         Section("Direct evidence", DirectProof(c)) + Section("What experiments show if it is true", shows) +
         Section("Mistaken for", rivals) + Section("Fix", Sentence(c.fix)) +
         Section("What merely silences it", Sentence(c.silences));
}

std::string FindingPage(std::string_view id) {
  const FindingInfo& f = *knowledge::FindFinding(id);
  std::string sources;
  for (const std::string_view source : f.sources) {
    const SourceInfo* info = knowledge::FindEvidenceSource(source);
    sources += fmt::format("- {}{}\n", info->title, info->landed ? "" : " (assay cannot look there yet: not checked)");
  }
  std::string producers;
  for (const Rule* rule : rules::All()) {
    if (std::find(rule->yields.begin(), rule->yields.end(), id) != rule->yields.end())
      producers += fmt::format("- rule `{}`: {}\n", rule->id, rule->title);
  }
  for (const Signature& s : knowledge::Signatures()) {
    if (s.finding == id) producers += fmt::format("- signature `{}`: {}\n", s.id, s.meaning);
  }
  std::string causes;
  for (const CauseInfo& c : knowledge::Causes()) {
    for (const Weight& w : c.evidence_for) {
      if (w.finding == id) causes += fmt::format("- `{}` ({:+} bits)\n", c.id, w.bits);
    }
    for (const Weight& w : c.evidence_against) {
      if (w.finding == id) causes += fmt::format("- `{}` ({:+} bits)\n", c.id, w.bits);
    }
  }
  return fmt::format("# {} (`{}`)\n", f.title, f.id) + Section("What counts", Sentence(f.recognised_by)) +
         Section("From which size on", Sentence(f.threshold)) + Section("Look-alikes", List(f.look_alikes)) +
         Section("Where it can be seen", sources) + Section("Found by", producers) + Section("Causes that it moves", causes) +
         Section("Puts a run in the class", f.symptom_of.empty() ? "" : Joined(f.symptom_of) + "\n");
}

std::string RulePage(std::string_view id) {
  for (const Rule* rule : rules::All()) {
    if (rule->id != id) continue;
    std::string yields;
    for (const std::string_view finding : rule->yields) {
      const FindingInfo* info = knowledge::FindFinding(finding);
      yields += fmt::format("- `{}`: {}\n", finding, info == nullptr ? "" : info->title);
    }
    return fmt::format("# {} (rule `{}`)\n\nLooks at {}.\n", rule->title, rule->id, rule->looks_at) + Section("May find", yields);
  }
  return {};
}

}  // namespace

std::string SignaturePage(const Signature& s) {
  std::string samples;
  for (const std::string_view line : s.samples) samples += fmt::format("    {}\n", line);
  std::string counter;
  for (const std::string_view line : s.counter_samples) counter += fmt::format("    {}\n", line);
  return fmt::format("# {} (signature `{}`)\n\nA line of kind {}; printed by {}{}.{}\n", s.meaning, s.id, RoleName(s.role),
                     s.frameworks.empty() ? "any program" : Joined(s.frameworks),
                     s.versions.empty() ? "" : fmt::format(" {}", s.versions),
                     s.finding.empty() ? " By itself it establishes nothing." : fmt::format(" Establishes `{}`.", s.finding)) +
         Section("Pattern", fmt::format("    {}\n", s.pattern)) + Section("Matches", samples) +
         Section("Does not match", counter);
}

namespace {

std::string AxisPage(std::string_view id) {
  const AxisInfo& a = *knowledge::FindAxis(id);
  return fmt::format("# {} (axis `{}`)\n\n{}\n", a.title, a.id, Sentence(a.changes)) +
         Section("What else it changes", List(a.side_effects)) +
         Section("How the process shows that it took", Sentence(a.proof)) + Section("Says nothing when", Sentence(a.void_when)) +
         Section("Cost", fmt::format("{}\n", a.cost)) + Section("Aliases", a.aliases.empty() ? "" : Joined(a.aliases) + "\n");
}

std::string SmokePage(std::string_view id) {
  for (const SmokeInfo& s : knowledge::Smokes()) {
    if (s.id == id)
      return fmt::format("# {} (smoke `{}`)\n\n{}", s.title, s.id,
                         s.axis.empty() ? "Nothing is changed.\n" : fmt::format("The axis `{}` set to `{}`.\n", s.axis, s.value));
  }
  return {};
}

std::string FormatPage(std::string_view id) {
  for (const Format* f : formats::All()) {
    if (f->id == id) return fmt::format("# {} (format `{}`)\n\nTypical names: {}.\n", f->title, f->id, f->typical_names);
  }
  return {};
}

std::string DialectPage(std::string_view id) {
  for (const Dialect* d : dialects::All()) {
    if (d->id == id) return fmt::format("# {} (dialect `{}`)\n\nA line of it:\n\n    {}\n", d->title, d->id, d->sample);
  }
  return {};
}

std::string ProbePage(std::string_view id) {
  for (const Probe* p : probes::All()) {
    if (p->id == id)
      return fmt::format("# {} (probe `{}`)\n\nReads {}.\n\nCost: {}.\n\nTo see more it needs: {}.\n", p->title, p->id, p->reads,
                         p->cost, p->privileges);
  }
  return {};
}

std::string ReportPage(std::string_view id) {
  const ReportFormat* r = reports::Find(id);
  return fmt::format("# {} (report format `{}`)\n\nMedia type {}, extension {}.\n", r->title, r->id, r->media_type, r->extension);
}

template <class T>
std::vector<CatalogueEntry> Titled(std::span<const T* const> all) {
  std::vector<CatalogueEntry> out;
  for (const T* entry : all) out.push_back({entry->id, entry->title, {}});
  std::sort(out.begin(), out.end(), [](const CatalogueEntry& a, const CatalogueEntry& b) { return a.id < b.id; });
  return out;
}

}  // namespace

const std::vector<Catalogue>& Catalogues() {
  static const std::vector<Catalogue> all{
      {"classes", "a failure class", [] { return Titled(classes::All()); }, ClassPage},
      {"causes", "a cause",
       [] {
         std::vector<CatalogueEntry> out;
         for (const CauseInfo& c : knowledge::Causes()) out.push_back({c.id, c.statement, c.failure_class});
         return out;
       },
       CausePage},
      {"findings", "a finding",
       [] {
         std::vector<CatalogueEntry> out;
         for (const FindingInfo& f : knowledge::Findings()) out.push_back({f.id, f.title, f.group});
         return out;
       },
       FindingPage},
      {"rules", "a rule", [] { return Titled(rules::All()); }, RulePage},
      {"axes", "an axis of experiments",
       [] {
         std::vector<CatalogueEntry> out;
         for (const AxisInfo& a : knowledge::Axes()) out.push_back({a.id, a.title, {}});
         return out;
       },
       AxisPage},
      {"smokes", "a smoke run",
       [] {
         std::vector<CatalogueEntry> out;
         for (const SmokeInfo& s : knowledge::Smokes()) out.push_back({s.id, s.title, {}});
         return out;
       },
       SmokePage},
      {"signatures", "a log signature",
       [] {
         std::vector<CatalogueEntry> out;
         for (const Signature& s : knowledge::Signatures()) out.push_back({s.id, s.meaning, s.family});
         return out;
       },
       [](std::string_view id) { return SignaturePage(*knowledge::FindSignature(id)); }},
      {"probes", "a probe", [] { return Titled(probes::All()); }, ProbePage},
      {"formats", "a format", [] { return Titled(formats::All()); }, FormatPage},
      {"dialects", "a log dialect", [] { return Titled(dialects::All()); }, DialectPage},
      {"reports", "a report format", [] { return Titled(reports::All()); }, ReportPage},
  };
  return all;
}

std::optional<std::string> PageOf(std::string_view id) {
  for (const Catalogue& catalogue : Catalogues()) {
    for (const CatalogueEntry& entry : catalogue.entries()) {
      if (entry.id == id) return catalogue.page(id);
    }
  }
  return std::nullopt;
}

std::vector<std::string> SimilarIds(std::string_view id) {
  constexpr std::size_t kFar = 4;
  std::multimap<std::size_t, std::string> near;
  for (const Catalogue& catalogue : Catalogues()) {
    for (const CatalogueEntry& entry : catalogue.entries()) {
      const bool part = id.size() >= 4 && entry.id.find(id) != std::string_view::npos;
      const std::size_t distance = part ? 1 : EditDistance(id, entry.id, kFar);
      if (distance <= kFar) near.emplace(distance, entry.id);
    }
  }
  std::vector<std::string> out;
  for (const auto& [distance, name] : near) {
    if (out.size() < 3 && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

}  // namespace assay
