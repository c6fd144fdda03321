// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/damage_report.h"

#include "base/text.h"

namespace assay {

void DamageReport::Add(AnomalyKind kind, std::uint64_t begin, std::uint64_t end, std::string statement) {
  ++count_;
  if (count_ <= kSingly) {
    facts_.AddAnomaly({.kind = kind,
                       .cite = {.source = source_, .begin = begin, .end = end},
                       .bytes_lost = end - begin,
                       .statement = std::move(statement)});
    return;
  }
  if (count_ == kSingly + 1) rest_ = {.kind = kind, .cite = {.source = source_, .begin = begin}};
  rest_.cite.end = end;
  rest_.bytes_lost += end - begin;
}

DamageReport::~DamageReport() {
  if (count_ <= kSingly) return;
  const char* verb = count_ == kSingly + 1 ? " is" : " are";
  rest_.statement = Plural(count_ - kSingly, "more place") + " of this file" + verb + " damaged.";
  facts_.AddAnomaly(std::move(rest_));
}

}  // namespace assay
