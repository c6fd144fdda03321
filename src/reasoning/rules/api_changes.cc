// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "base/text.h"
#include "reasoning/rules/rule.h"
#include "reasoning/run_end.h"

namespace assay::rules {
namespace {

constexpr std::array<std::string_view, 1> kYields{"api-table-match"};

// "2.10.0+cu128" against "2.6": numbers between dots, what is missing counts as 0.
bool AtLeast(std::string_view version, std::string_view wanted) {
  const auto have = Split(version, '.');
  const auto want = Split(wanted, '.');
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto h = i < have.size() ? ParseNumberPrefix(have[i]) : std::nullopt;
    const auto w = ParseNumberPrefix(want[i]);
    const double a = h ? std::floor(h->value) : 0;
    const double b = w ? std::floor(w->value) : 0;
    if (a != b) return a > b;
  }
  return true;
}

struct Version {
  std::string text;
  Citation cite;
};

// The interpreter's version stands in the paths of its own frames.
std::optional<Version> PythonOfFrames(const Traceback& traceback) {
  for (const TracebackFrame& frame : traceback.frames) {
    const std::size_t at = frame.file.find("/python3.");
    if (at == std::string::npos) continue;
    std::string version = frame.file.substr(at + 7, 5);
    while (!version.empty() && !IsDigit(version.back())) version.pop_back();
    return Version{std::move(version), frame.cite};
  }
  return std::nullopt;
}

std::optional<Version> VersionOf(const FactView& facts, std::string_view library, const Traceback& traceback) {
  for (const ConfigValue* value : facts.Config(library)) {
    if (value->key.starts_with("package.") && !value->value.empty() && IsDigit(value->value[0]))
      return Version{value->value, value->cite};
  }
  for (const SignatureHit* hit : facts.Hits("library-versions")) {
    std::string_view text = hit->Capture(library);
    if (text.empty() && library == "torch") text = hit->Capture("torch_version");
    if (text.empty() && library == "torch") text = hit->Capture("yolo_torch");
    if (text.empty() && library == "torch") text = hit->Capture("plain_torch");
    if (!text.empty()) return Version{std::string(text), hit->cite};
  }
  if (library == "python") return PythonOfFrames(traceback);
  return std::nullopt;
}

void Evaluate(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  const Traceback* first = end.first();
  if (first == nullptr) return;
  for (const ApiChangeInfo& change : knowledge::ApiChanges()) {
    if (first->message.find(change.error_text) == std::string::npos) continue;
    const auto version = VersionOf(facts, change.library, *first);
    if (!version) {
      out.NotChecked("api-table-match", fmt::format("the installed version of {} is not known", change.library));
    } else if (AtLeast(version->text, change.removed_in)) {
      out.Add("api-changes", "api-table-match",
              fmt::format("{} {} is in use, and {} was {} in {}: {}.", change.library, version->text, change.name,
                          change.kind == "argument-required" ? "given a required argument" : change.kind, change.removed_in,
                          change.new_form),
              {first->exception_cite, version->cite});
    }
  }
}

}  // namespace

extern const Rule api_changes;
constinit const Rule api_changes{
    .id = "api-changes",
    .title = "Names that the installed version of a library no longer has",
    .looks_at = "the missing name, the table of API changes and the versions that the run shows",
    .yields = kYields,
    .evaluate = Evaluate,
};

}  // namespace assay::rules
