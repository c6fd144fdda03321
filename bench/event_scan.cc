// SPDX-License-Identifier: Apache-2.0
// event_scan FILE: reads an event file as assay does and prints of every tag: tag NAME COUNT NAN SUM STEPS, the anomalies, and
// what the tables hold.

#include <cstdio>
#include <map>
#include <string>

#include "event_frames.h"
#include "evidence/formats/format.h"
#include "platform/file_system.h"
#include "table_size.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: event_scan FILE\n", stderr), 2;
  const assay::RealFileSystem files;
  const auto file = files.Open(argv[1]);
  if (!file.has_value()) return std::fprintf(stderr, "%s: %s\n", argv[1], file.error().reason.c_str()), 1;
  assay::FactStore facts;
  const assay::SourceId source = facts.AddSource({.path = argv[1], .size = (*file)->size()});
  for (const assay::Format* format : assay::formats::All()) {
    if (format->id == "tensorboard-events") format->read({.source = source, .path = argv[1], .file = **file}, facts);
  }
  const assay::FactView view(facts);
  std::map<std::string, assay::bench::TagSummary, std::less<>> tags;
  for (const assay::MetricTable& table : view.tables()) {
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      assay::bench::TagSummary& tag = tags[table.columns()[column].name];
      for (std::size_t row = 0; row < table.row_count(); ++row) {
        if (const auto value = table.At(row, column)) tag.Add(*value, table.row(row).step);
      }
    }
  }
  assay::bench::Print(tags);
  std::printf("anomalies %zu\n", view.anomalies().size());
  assay::bench::PrintResults(view);
  return 0;
}
