// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tells of the damage of one file: the first places singly, the rest, of which a hostile file may have millions, in one anomaly.

#include <cstdint>
#include <string>

#include "evidence/facts/fact_store.h"

namespace assay {

class DamageReport {
 public:
  // Both are borrowed; what was counted is pushed when the report ends.
  DamageReport(SourceId source, FactStore& facts) : source_(source), facts_(facts) {}
  ~DamageReport();
  DamageReport(const DamageReport&) = delete;
  DamageReport& operator=(const DamageReport&) = delete;

  // The bytes [begin, end) are lost; `statement` is a full sentence.
  void Add(AnomalyKind kind, std::uint64_t begin, std::uint64_t end, std::string statement);

  static constexpr std::uint64_t kSingly = 8;

 private:
  SourceId source_;
  FactStore& facts_;
  std::uint64_t count_ = 0;
  Anomaly rest_;
};

}  // namespace assay
