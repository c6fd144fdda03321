// SPDX-License-Identifier: Apache-2.0
// event_scan [--sized] FILE: reads an event file as assay does and prints of every tag: tag NAME COUNT NAN SUM STEPS, then the
// anomalies and, if asked, what the tables hold.

#include <cstdio>
#include <map>
#include <cstring>
#include <string>

#include "event_frames.h"
#include "evidence/formats/format.h"
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
    if (format->id == "tensorboard-events") format->read({.source = source, .path = path, .file = **file}, facts);
  }
  const assay::FactView view(facts);
  std::map<std::string, assay::bench::TagSummary, std::less<>> tags;
  for (const assay::MetricTable& table : view.tables()) {
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      assay::bench::TagSummary& tag = tags[table.columns()[column].name];
      table.ForEachValue(column, [&](std::size_t row, double value) { tag.Add(value, table.row(row).step); });
    }
  }
  assay::bench::Print(tags);
  std::printf("anomalies %zu\n", view.anomalies().size());
  if (sized) assay::bench::PrintResults(view);
  return 0;
}
