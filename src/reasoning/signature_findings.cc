// SPDX-License-Identifier: Apache-2.0
#include "reasoning/signature_findings.h"

#include <fmt/format.h>

#include "base/text.h"
#include "reasoning/progress.h"

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
  return out + ".";
}

}  // namespace

void AddSignatureFindings(const FactView& facts, Findings& out) {
  for (const SignatureHit& hit : facts.All<SignatureHit>()) {
    if (hit.signature->finding.empty() || hit.signature->role == Role::kAdvice) continue;
    if (hit.origin != Origin::kRunLog && hit.belongs_because.empty()) continue;
    const bool survived = hit.signature->role == Role::kFailure && Survived(facts, hit.cite);
    const bool known = out.Has(hit.signature->finding);
    Finding& finding = out.Add("signature", hit.signature->finding, Statement(hit), {hit.cite});
    if (!known) {
      finding.rank = hit.rank;
      finding.time = hit.time;
      finding.survived = survived;
    } else {
      finding.survived = finding.survived && survived;  // one that ended the run outweighs any that did not
    }
  }
}

}  // namespace assay
