// SPDX-License-Identifier: Apache-2.0
#include "evidence/discovery/gather.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/discovery/git_state.h"
#include "evidence/formats/format.h"

namespace assay {
namespace {

constexpr std::size_t kHead = 4096;

struct Gathering {
  const FileSystem& files;
  const std::string& root;
  LogReader& logs;
  FactStore& facts;
  std::size_t unreadable = 0;
  std::vector<std::string> not_understood = {};
};

void CouldNotRead(Gathering& gathering, SourceId source, const FoundFile& file, const Error& error) {
  ++gathering.unreadable;
  gathering.facts.AddAnomaly({.kind = AnomalyKind::kUnreadable,
                              .cite = {.source = source},
                              .bytes_lost = file.size,
                              .statement = file.path + " could not be read: " + error.reason + "."});
}

void ReadFile(Gathering& gathering, const FoundFile& file, bool is_single_file) {
  const std::string absolute = is_single_file ? gathering.root : JoinPath(gathering.root, file.path);
  const SourceId source = gathering.facts.AddSource({.path = file.path,
                                                     .absolute_path = absolute,
                                                     .kind = SourceKind::kArtifact,
                                                     .size = file.size,
                                                     .modified = file.modified});
  gathering.facts.Add(RunFile{.size = file.size, .modified = file.modified, .cite = {.source = source}});
  const auto opened = gathering.files.Open(absolute);
  if (!opened.has_value()) return CouldNotRead(gathering, source, file, opened.error());
  std::vector<std::byte> head(kHead);
  const auto stream = OpenStream(**opened);
  const auto got = stream->Read(head);
  if (!got.has_value()) return CouldNotRead(gathering, source, file, got.error());
  head.resize(*got);
  std::vector<std::byte> raw(4);
  const auto raw_got = (*opened)->ReadAt(0, raw);
  if (raw_got.has_value())
    gathering.facts.source(source).compressed = SniffCompression(std::span(raw).first(*raw_got)) != Compression::kNone;
  const Format* format = formats::Recognise({.path = file.path, .bytes = head, .size = file.size});
  if (format == nullptr) {
    gathering.not_understood.push_back(file.path);
    return;
  }
  gathering.facts.source(source).format = format->id;
  if (file.size == 0) {
    gathering.facts.AddAnomaly({.kind = AnomalyKind::kEmpty, .cite = {.source = source}, .statement = file.path + " is empty."});
    return;
  }
  format->read({.source = source, .path = file.path, .file = **opened, .logs = gathering.logs}, gathering.facts);
}

void SayNotUnderstood(const Gathering& gathering) {
  const std::vector<std::string>& paths = gathering.not_understood;
  if (paths.empty()) return;
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(paths.size(), kNamed); ++i) names += (i == 0 ? "" : ", ") + Printable(paths[i], 120);
  if (paths.size() > kNamed) names += ", …";
  gathering.facts.AddNotChecked(Plural(paths.size(), "file") + " that no reader of assay understands", names);
}

}  // namespace

std::size_t GatherRun(const FileSystem& files, const std::string& root, const ProjectScan& scan, const FoundRun& run,
                      const GatherOptions& options, FactStore& facts) {
  Gathering gathering{files, root, options.logs, facts};
  std::vector<const FoundFile*> all;
  for (const FoundFile& file : run.files) all.push_back(&file);
  for (const FoundFile& file : scan.shared) all.push_back(&file);
  std::sort(all.begin(), all.end(), [](const FoundFile* a, const FoundFile* b) { return a->path < b->path; });
  std::uint64_t total = 0;
  for (const FoundFile* file : all) total += file->size;
  const auto info = files.Stat(root);
  const bool single = info.has_value() && info->kind == FileKind::kFile;
  std::uint64_t done = 0;
  for (const FoundFile* file : all) {
    if (options.progress) options.progress(file->path, done, total);
    ReadFile(gathering, *file, single);
    done += file->size;
  }
  ReadGitState(files, single ? std::string(ParentPath(root)) : root, facts);
  SayNotUnderstood(gathering);
  for (const LeftOut& left : scan.left_out) facts.AddNotChecked(left.path, left.why);
  for (const std::string& folder : scan.unreadable) facts.AddNotChecked(folder, "the folder could not be listed");
  return gathering.unreadable;
}

void GatherSiblings(const FileSystem& files, const std::string& root, const ProjectScan& scan, const FoundRun& run,
                    LogReader& logs, FactStore& facts) {
  constexpr std::size_t kMost = 3;
  constexpr std::uint64_t kLargest = std::uint64_t{64} << 20U;
  std::size_t count = 0;
  for (const FoundRun& other : scan.runs) {
    std::uint64_t size = 0;
    for (const FoundFile& file : other.files) size += file.size;
    if (&other == &run || size > kLargest || count == kMost) continue;
    ++count;
    Gathering gathering{files, root, logs, facts.AddSibling(other.id)};
    for (const FoundFile& file : other.files) ReadFile(gathering, file, false);
  }
}

}  // namespace assay
