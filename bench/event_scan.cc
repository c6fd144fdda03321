// SPDX-License-Identifier: Apache-2.0
// event_scan [--sized] FILE: reads an event file as assay does and prints of every tag: tag NAME COUNT NAN SUM STEPS, then the
// anomalies and, if asked, what the tables hold.

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "event_frames.h"
#include "evidence/formats/format.h"
#include "evidence/logs/log_reader.h"
#include "platform/file_system.h"
#include "table_size.h"

int main(int argc, char** argv) {
  const bool sized = argc == 3 && std::strcmp(argv[1], "--sized") == 0;
  if (argc != 2 && !sized) return std::fputs("usage: event_scan [--sized] FILE\n", stderr), 2;
  const char* const path = argv[argc - 1];
  const assay::RealFileSystem files;
  const auto file = files.Open(path);
  if (!file.has_value()) return std::fprintf(stderr, "%s: %s\n", path, file.error().reason.c_str()), 1;
  assay::FactStore facts;
  const assay::SourceId source = facts.AddSource({.path = path, .size = (*file)->size()});
  for (const assay::Format* format : assay::formats::All()) {
    if (format->id != "tensorboard-events") continue;
    format->read({.source = source, .path = path, .file = **file, .logs = assay::LogReader::Shared()}, facts);
  }
  const assay::FactView view(facts);
  std::map<std::string, assay::bench::TagSummary, std::less<>> tags;
  for (const assay::MetricTable& table : view.tables()) {
    std::vector<assay::bench::TagSummary*> of_column;
    for (const assay::MetricColumn& column : table.columns()) of_column.push_back(&tags[column.name]);
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      const std::int64_t step = table.row(row).step;
      for (std::size_t column = 0; column < of_column.size(); ++column) {
        if (const auto value = table.At(row, column)) of_column[column]->Add(*value, step);
      }
    }
  }
  assay::bench::Print(tags);
  std::printf("anomalies %zu\n", view.anomalies().size());
  if (sized) assay::bench::PrintResults(view);
  return 0;
}
