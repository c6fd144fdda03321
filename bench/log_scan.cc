// SPDX-License-Identifier: Apache-2.0
// log_scan [--signatures | --sized] FILE: reads a log as assay does and prints what it found, for comparison with other tools:
//   hit LINE TEXT                         of every line that matches a signature
//   column WRITER NAME COUNT NAN SUM      of every column of every table
//   steps WRITER COUNT LAST
//   results ROWS VALUES BYTES             of all tables together, if asked by --sized
// log_scan --patterns, log_scan --literals: the patterns of all signatures, or the literals that they demand, one a line.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "evidence/codecs/byte_stream.h"
#include "evidence/facts/fact_store.h"
#include "evidence/logs/log_reader.h"
#include "platform/file_system.h"
#include "table_size.h"

namespace {

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void PrintHits(const assay::FactView& facts) {
  std::map<std::uint64_t, std::string> lines;
  for (const assay::SignatureHit& hit : facts.All<assay::SignatureHit>()) lines.emplace(hit.cite.line, hit.quote);
  for (const auto& [line, text] : lines) Print("hit " + std::to_string(line) + " " + text + "\n");
}

void PrintTable(const assay::MetricTable& table) {
  std::int64_t last = 0;
  std::size_t steps = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (table.row(row).step == assay::kNoStep) continue;
    ++steps;
    last = table.row(row).step;
  }
  std::printf("steps %s %zu %lld\n", table.writer.c_str(), steps, static_cast<long long>(last));
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    std::size_t count = 0;
    std::size_t nans = 0;
    double sum = 0;
    table.ForEachValue(column, [&](std::size_t, double value) {
      ++count;
      if (std::isnan(value)) {
        ++nans;
      } else {
        sum += value;
      }
    });
    std::printf("column %s %s %zu %zu %.17g\n", table.writer.c_str(), table.columns()[column].name.c_str(), count, nans, sum);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--patterns") == 0) {
    for (const assay::Signature& signature : assay::knowledge::Signatures()) Print(std::string(signature.pattern) + "\n");
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "--literals") == 0) {
    for (const assay::Signature& signature : assay::knowledge::Signatures()) {
      for (const std::string_view literal : signature.literals) Print(std::string(literal) + "\n");
    }
    return 0;
  }
  const bool sized = argc == 3 && std::strcmp(argv[1], "--sized") == 0;
  const bool signatures_only = argc == 3 && std::strcmp(argv[1], "--signatures") == 0;
  if (argc != 2 && !signatures_only && !sized)
    return std::fputs("usage: log_scan [--signatures | --sized] FILE | --patterns | --literals\n", stderr), 2;
  const assay::RealFileSystem files;
  const auto file = files.Open(argv[argc - 1]);
  if (!file.has_value()) return std::fprintf(stderr, "%s: %s\n", argv[argc - 1], file.error().reason.c_str()), 1;
  assay::FactStore facts;
  const assay::SourceId source = facts.AddSource({.path = argv[argc - 1], .size = (*file)->size()});
  const auto stream = assay::OpenStream(**file);
  assay::LogReader::Shared().Read(*stream, source, {.metrics = !signatures_only}, facts);
  const assay::FactView view(facts);
  PrintHits(view);
  for (const assay::MetricTable& table : view.tables()) PrintTable(table);
  if (sized) assay::bench::PrintResults(view);
  return 0;
}
