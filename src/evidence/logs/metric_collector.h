// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns the rows that dialects find in one log into tables: one per dialect and rank, attempts told apart. What a hostile log can
// ask for is bounded: beyond kMaxTables tables, kMaxColumns columns of one table, or more blank cells than bytes were read,
// values are dropped, and that is said once.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "evidence/dialects/dialect.h"
#include "evidence/facts/fact_store.h"

namespace assay {

class MetricCollector {
 public:
  MetricCollector(SourceId source, FactStore& facts) : source_(source), facts_(facts) {}
  void Add(const Dialect& dialect, const LogLine& line, const MetricLine& values);

 private:
  static constexpr std::size_t kMaxTables = 4096;
  static constexpr std::size_t kMaxColumns = 512;
  static constexpr std::size_t kLongestName = 200;
  static constexpr std::uint64_t kFreeBlanks = std::uint64_t{1} << 22U;

  struct Writer {
    MetricTable* table = nullptr;
    std::vector<std::size_t> columns;  // of the values of the last row, in their order: lines of one writer are alike
    std::vector<std::size_t> filled;   // of each column: the number of rows it reaches to
    std::int64_t last_step = kNoStep;
    double last_epoch = 0;
    std::uint32_t attempt = 0;
  };
  Writer* WriterOf(const Dialect& dialect, const LogLine& line);
  // nullopt when the table is full.
  std::optional<std::size_t> ColumnOf(Writer& writer, std::size_t position, std::string_view name);
  // False when the blank cells above it would cost too much.
  bool MayReach(Writer& writer, std::size_t column, const Citation& cite);
  void SayTooMuch(const Citation& cite);

  SourceId source_;
  FactStore& facts_;
  std::map<std::pair<const Dialect*, int>, Writer> writers_;
  std::pair<const Dialect*, int> last_key_{nullptr, -1};
  Writer* last_writer_ = nullptr;
  std::uint64_t blanks_ = 0;
  bool too_much_said_ = false;
};

}  // namespace assay
