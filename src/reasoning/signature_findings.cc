// SPDX-License-Identifier: Apache-2.0
#include "reasoning/signature_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "reasoning/run_end.h"

namespace assay {
namespace {

std::string Statement(const SignatureHit& hit) {
  std::string numbers;
  constexpr std::size_t kLongest = 60;  // what is longer is a list that some rule takes apart
  for (const auto& [name, value] : hit.captures) {
    if (value.size() > kLongest && name.ends_with("others")) continue;
    std::string label = name;
    for (const std::string_view suffix : {"_size", "_count", "_seconds", "_ms"}) {
      if (label.ends_with(suffix)) label.resize(label.size() - suffix.size());
    }
    for (char& c : label) c = c == '_' ? ' ' : c;
    numbers += fmt::format("{}{} {}", numbers.empty() ? "" : ", ", label, value);
  }
  std::string out(hit.signature->meaning);
  if (!numbers.empty()) out += fmt::format(" ({})", numbers);
  if (hit.count > 1) out += fmt::format(", {} times", hit.count);
  // The knowledge behind a user's own signature is the user's: a reader of the report must see that.
  if (hit.signature->IsUsers())
    out += fmt::format(", as `{}` in {} says", hit.signature->id, Printable(hit.signature->family, 200));
  return out + ".";
}

// Findings by which a run is in the class of crashes say that it ended by them: what was survived, caught or belongs to a former
// attempt is none. Others keep what was survived, marked so, because it tells how the run went.
bool IsEndOnly(const FindingInfo& info, Standing standing) {
  if (standing == Standing::kEnd) return false;
  const bool crash = std::find(info.symptom_of.begin(), info.symptom_of.end(), "crash") != info.symptom_of.end();
  return crash || standing == Standing::kCaught || standing == Standing::kAfterResults || info.symptom_of.empty();
}

// An archive that cannot be read is the checkpoint where the code that reads it says so.
std::string_view FindingOf(const SignatureHit& hit, const RunEnd& end) {
  const std::string_view finding = hit.signature->finding;
  const Traceback* around = finding == "bad-file" ? end.Holding(hit.cite) : nullptr;
  if (around == nullptr) return finding;
  const bool worker = around->message.find("DataLoader worker") != std::string::npos;
  return !worker && ReadsCheckpoint(*around) ? std::string_view("ckpt-load-error") : finding;
}

}  // namespace

void AddSignatureFindings(const FactView& facts, Findings& out) {
  const RunEnd end(facts);
  struct Weighed {
    const SignatureHit* hit;
    std::string_view finding;
    bool survived;
  };
  std::vector<Weighed> weighed;
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.signature->finding.empty() || hit.signature->role == Role::kAdvice) continue;
    if (hit.origin != Origin::kRunLog && hit.belongs_because.empty()) continue;
    const std::string_view finding = FindingOf(hit, end);
    const Standing standing = hit.signature->role == Role::kFailure ? end.Of(hit) : Standing::kEnd;
    if (IsEndOnly(*knowledge::FindFinding(finding), standing)) continue;
    weighed.push_back({&hit, finding, standing != Standing::kEnd});
  }
  // A line that ended the run speaks before those that it survived.
  std::stable_sort(weighed.begin(), weighed.end(), [](const Weighed& a, const Weighed& b) { return a.survived < b.survived; });
  for (const auto& [hit, id, survived] : weighed) {
    const bool known = out.Has(id);
    Finding& finding = out.Add("signature", id, Statement(*hit), {hit->cite});
    if (known) continue;
    finding.rank = hit->rank;
    finding.time = hit->time;
    finding.survived = survived;
  }
}

}  // namespace assay
