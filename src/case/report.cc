// SPDX-License-Identifier: Apache-2.0
#include "case/report.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "case/version.h"
#include "evidence/codecs/secret_filter.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json ByteRange(std::uint64_t begin, std::uint64_t end) { return {{"unit", "bytes"}, {"start", begin}, {"end", end}}; }

template <class T, class F>
Json Each(const std::vector<T>& items, F make) {
  Json out = Json::array();
  for (const T& item : items) out.push_back(make(item));
  return out;
}

Json RunJson(const ReportRun& r) {
  return {{"id", r.id},
          {"project", r.project},
          {"command", OrNull(r.command)},
          {"commit", OrNull(r.commit)},
          {"dirty", OrNull(r.dirty)},
          {"started", OrNull(r.started)},
          {"ended", OrNull(r.ended)},
          {"ranks", OrNull(r.ranks)}};
}

Json Build(const Report& r) {
  Json out;
  out["schema"] = "assay.report/1";
  out["run"] = RunJson(r.run);
  out["verdict"] = r.verdict;
  out["classes"] = Each(r.classes, [](const ReportClass& c) {
    return Json{{"id", c.id}, {"rank", c.rank}, {"because", c.because}, {"follows_from", OrNull(c.follows_from)}};
  });
  out["when"] = {{"phase", r.phase}, {"step", OrNull(r.step)}, {"epoch", OrNull(r.epoch)}, {"time", OrNull(r.time)}};
  out["recurrence"] = r.recurrence;
  out["cause"] =
      r.cause ? Json{{"id", r.cause->id},   {"statement", r.cause->statement}, {"status", "confirmed"},
                     {"how", r.cause->how}, {"cites", r.cause->cites},         {"rivals_excluded", r.cause->rivals_excluded}}
              : Json(nullptr);
  out["hypotheses"] = Each(r.hypotheses, [](const ReportHypothesis& h) {
    return Json{{"id", h.id},
                {"cause", h.cause},
                {"statement", h.statement},
                {"status", h.status},
                {"odds_bits", h.odds_bits},
                {"for", h.evidence_for},
                {"against", h.evidence_against},
                {"decided_by", h.decided_by}};
  });
  out["findings"] = Each(r.findings, [](const ReportFinding& f) {
    return Json{{"id", f.id}, {"rule", f.rule}, {"finding", f.finding}, {"statement", f.statement}, {"cites", f.cites}};
  });
  out["evidence"] = Each(r.evidence, [](const ReportEvidence& e) {
    return Json{{"id", e.id},
                {"source", e.source},
                {"range", e.has_range ? ByteRange(e.begin, e.end) : Json(nullptr)},
                {"quote", e.quote},
                {"step", OrNull(e.step)},
                {"rank", OrNull(e.rank)},
                {"time", OrNull(e.time)}};
  });
  out["experiments"] = Json::array();
  out["contradictions"] = Each(
      r.contradictions, [](const ReportContradiction& c) { return Json{{"between", c.between}, {"statement", c.statement}}; });
  out["not_checked"] = Each(r.not_checked, [](const ReportGap& g) { return Json{{"what", g.what}, {"why", g.why}}; });
  out["anomalies"] = Each(r.anomalies, [](const ReportAnomaly& a) {
    return Json{{"id", a.id},
                {"kind", a.kind},
                {"source", a.source},
                {"range", ByteRange(a.begin, a.end)},
                {"bytes_lost", a.bytes_lost},
                {"statement", a.statement}};
  });
  out["next"] = Each(r.next, [](const ReportAction& a) {
    return Json{{"action", a.action}, {"command", a.command.empty() ? Json(nullptr) : Json(a.command)}, {"why", a.why}};
  });
  out["dependences"] = Json::array();
  out["case"] = r.case_id;
  out["assay"] = kVersion;
  return out;
}

// A path is bytes: one that is no UTF-8 text is kept as the list of them.
Json PathJson(const std::string& path) {
  if (IsValidUtf8(path)) return path;
  Json bytes = Json::array();
  for (const char c : path) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

std::string PathFromJson(const Json& path) {
  if (path.is_string()) return path;
  std::string out;
  for (const Json& byte : path) out.push_back(static_cast<char>(byte.get<unsigned char>()));
  return out;
}

// What only people read, by the side of the stable object.
Json Extra(const Report& r) {
  return {
      {"chosen_because", r.run.chosen_because},
      {"mode", r.mode},
      {"uncertainty", r.uncertainty},
      {"cause", r.cause ? Json{{"why", r.cause->why}, {"fix", r.cause->fix}} : Json(nullptr)},
      {"classes",
       Each(r.classes, [](const ReportClass& c) { return Json{{"title", c.title}, {"follows_because", c.follows_because}}; })},
      {"hypotheses",
       Each(r.hypotheses, [](const ReportHypothesis& h) { return Json{{"note", h.note}, {"predicts", h.predicts}}; })},
      {"evidence", Each(r.evidence,
                        [](const ReportEvidence& e) {
                          return Json{{"absolute_path", PathJson(e.absolute_path)}, {"line", e.line}, {"digest", e.digest}};
                        })},
      {"observations",
       Each(r.observations, [](const ReportObservation& o) { return Json{{"statement", o.statement}, {"cites", o.cites}}; })}};
}

template <class T>
std::optional<T> Maybe(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}
std::vector<std::string> Strings(const Json& value) { return value.get<std::vector<std::string>>(); }

// Throws what nlohmann throws; the one caller catches it.
Report Parse(const Json& record) {
  const Json& o = record.at("report");
  const Json& x = record.at("extra");
  Report r;
  const Json& run = o.at("run");
  r.run = {.id = run.at("id"),
           .project = run.at("project"),
           .chosen_because = x.at("chosen_because"),
           .command = Maybe<std::string>(run.at("command")),
           .commit = Maybe<std::string>(run.at("commit")),
           .dirty = Maybe<bool>(run.at("dirty")),
           .started = Maybe<std::string>(run.at("started")),
           .ended = Maybe<std::string>(run.at("ended")),
           .ranks = Maybe<int>(run.at("ranks"))};
  r.verdict = o.at("verdict");
  r.mode = x.at("mode");
  for (std::size_t i = 0; i < o.at("classes").size(); ++i) {
    const Json& c = o.at("classes").at(i);
    r.classes.push_back({.id = c.at("id"),
                         .title = x.at("classes").at(i).at("title"),
                         .rank = c.at("rank"),
                         .because = Strings(c.at("because")),
                         .follows_from = Maybe<std::string>(c.at("follows_from")),
                         .follows_because = x.at("classes").at(i).at("follows_because")});
  }
  r.phase = o.at("when").at("phase");
  r.step = Maybe<std::int64_t>(o.at("when").at("step"));
  r.epoch = Maybe<double>(o.at("when").at("epoch"));
  r.time = Maybe<std::string>(o.at("when").at("time"));
  r.recurrence = o.at("recurrence");
  if (const Json& c = o.at("cause"); !c.is_null()) {
    r.cause = ReportCause{.id = c.at("id"),
                          .statement = c.at("statement"),
                          .how = c.at("how"),
                          .cites = Strings(c.at("cites")),
                          .rivals_excluded = Strings(c.at("rivals_excluded")),
                          .why = x.at("cause").at("why"),
                          .fix = x.at("cause").at("fix")};
  }
  r.uncertainty = x.at("uncertainty");
  for (std::size_t i = 0; i < o.at("hypotheses").size(); ++i) {
    const Json& h = o.at("hypotheses").at(i);
    r.hypotheses.push_back({.id = h.at("id"),
                            .cause = h.at("cause"),
                            .statement = h.at("statement"),
                            .status = h.at("status"),
                            .odds_bits = h.at("odds_bits"),
                            .evidence_for = Strings(h.at("for")),
                            .evidence_against = Strings(h.at("against")),
                            .decided_by = Strings(h.at("decided_by")),
                            .note = x.at("hypotheses").at(i).at("note"),
                            .predicts = x.at("hypotheses").at(i).at("predicts")});
  }
  for (const Json& f : o.at("findings")) {
    r.findings.push_back({f.at("id"), f.at("rule"), f.at("finding"), f.at("statement"), Strings(f.at("cites"))});
  }
  for (const Json& v : x.at("observations")) r.observations.push_back({v.at("statement"), Strings(v.at("cites"))});
  for (std::size_t i = 0; i < o.at("evidence").size(); ++i) {
    const Json& e = o.at("evidence").at(i);
    const Json& extra = x.at("evidence").at(i);
    ReportEvidence evidence{.id = e.at("id"),
                            .source = e.at("source"),
                            .absolute_path = PathFromJson(extra.at("absolute_path")),
                            .has_range = !e.at("range").is_null(),
                            .line = extra.at("line"),
                            .quote = e.at("quote"),
                            .digest = extra.at("digest"),
                            .step = Maybe<std::int64_t>(e.at("step")),
                            .rank = Maybe<int>(e.at("rank")),
                            .time = Maybe<std::string>(e.at("time"))};
    if (evidence.has_range) {
      evidence.begin = e.at("range").at("start");
      evidence.end = e.at("range").at("end");
    }
    r.evidence.push_back(std::move(evidence));
  }
  for (const Json& c : o.at("contradictions")) r.contradictions.push_back({Strings(c.at("between")), c.at("statement")});
  for (const Json& g : o.at("not_checked")) r.not_checked.push_back({g.at("what"), g.at("why")});
  for (const Json& a : o.at("anomalies")) {
    r.anomalies.push_back({a.at("id"), a.at("kind"), a.at("source"), a.at("range").at("start"), a.at("range").at("end"),
                           a.at("bytes_lost"), a.at("statement")});
  }
  for (const Json& a : o.at("next")) {
    r.next.push_back(
        {a.at("action"), a.at("command").is_null() ? std::string() : a.at("command").get<std::string>(), a.at("why")});
  }
  r.case_id = o.at("case");
  return r;
}

constexpr auto kReplaceBadText = Json::error_handler_t::replace;
constexpr std::size_t kLongestText = 4000;
constexpr int kDeepestRecord = 16;  // ours are five deep

// Safe to print, and without the secrets that programs print into their logs.
std::string Disarmed(std::string_view text) { return Printable(WithoutSecretsInText(text), kLongestText); }

// A record may have been written by anybody who can write the project: every text of it is an artifact's. Paths stay as they are,
// for they are opened and not printed.
void DisarmRecord(Json& value) {
  if (value.is_string()) value = Disarmed(value.get_ref<const std::string&>());
  if (!value.is_structured()) return;
  for (auto& [key, inner] : value.items()) {
    if (key != "absolute_path") DisarmRecord(inner);
  }
}

}  // namespace

void Disarm(Report& report) {
  const auto text = [](std::string& t) { t = Disarmed(t); };
  const auto maybe = [&](std::optional<std::string>& t) {
    if (t) text(*t);
  };
  for (std::string* t : {&report.run.id, &report.run.project, &report.run.chosen_because, &report.uncertainty}) text(*t);
  maybe(report.run.command);
  maybe(report.run.commit);
  for (ReportClass& c : report.classes) text(c.follows_because);
  if (report.cause) {
    for (std::string& excluded : report.cause->rivals_excluded) text(excluded);
  }
  for (ReportHypothesis& h : report.hypotheses) text(h.note);
  for (ReportFinding& f : report.findings) text(f.statement);
  for (ReportObservation& o : report.observations) text(o.statement);
  for (ReportEvidence& e : report.evidence) {
    text(e.source);
    text(e.quote);
  }
  for (ReportContradiction& c : report.contradictions) text(c.statement);
  for (ReportGap& g : report.not_checked) {
    text(g.what);
    text(g.why);
  }
  for (ReportAnomaly& a : report.anomalies) {
    text(a.source);
    text(a.statement);
  }
  for (ReportAction& a : report.next) {
    text(a.action);
    text(a.command);
    text(a.why);
  }
}

const ReportEvidence* Report::FindEvidence(const std::string& id) const {
  for (const ReportEvidence& e : evidence) {
    if (e.id == id) return &e;
  }
  return nullptr;
}

const ReportFinding* Report::FindFinding(const std::string& id) const {
  for (const ReportFinding& f : findings) {
    if (f.id == id) return &f;
  }
  return nullptr;
}

std::string ReportToJson(const Report& report) { return Build(report).dump(2, ' ', false, kReplaceBadText) + "\n"; }

std::string ReportToRecord(const Report& report) {
  return Json{{"report", Build(report)}, {"extra", Extra(report)}}.dump(-1, ' ', false, kReplaceBadText);
}

Result<Report> ReportFromRecord(const std::string& line) {
  try {
    // What lies deeper than any record is left out, and then missed.
    Json record = Json::parse(line, [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepestRecord; });
    DisarmRecord(record);
    return Parse(record);
  } catch (const Json::exception& e) {
    return Error{.kind = ErrorKind::kMalformed, .message = "cannot read the report that the case keeps", .reason = e.what()};
  }
}

}  // namespace assay
