// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns the rows that dialects find in one log into tables: one per dialect and rank, attempts told apart.

#include <map>
#include <optional>
#include <utility>

#include "evidence/dialects/dialect.h"
#include "evidence/facts/fact_store.h"

namespace assay {

class MetricCollector {
 public:
  MetricCollector(SourceId source, FactStore& facts) : source_(source), facts_(facts) {}
  void Add(const Dialect& dialect, const LogLine& line, const MetricLine& values);

 private:
  struct Writer {
    MetricTable* table = nullptr;
    std::int64_t last_step = kNoStep;
    double last_epoch = 0;
    std::uint32_t attempt = 0;
  };
  SourceId source_;
  FactStore& facts_;
  std::map<std::pair<const Dialect*, int>, Writer> writers_;
};

}  // namespace assay
