// SPDX-License-Identifier: Apache-2.0
#include "surfaces/written_note.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "platform/file_system.h"
#include "surfaces/reports/report_format.h"

namespace assay {

Status WriteNote(const std::string& project, const std::string& asked_path, const Report& report) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string folder = project + "/docs/ops/runs";
  if (asked_path.empty() && !fs::is_directory(folder, error)) return Ok();
  const std::string path = asked_path.empty() ? folder + "/" + report.run.id + "-debug.md" : asked_path;
  if (fs::exists(path, error)) {
    const RealFileSystem files;
    const auto old = ReadWholeFile(files, path, std::uint64_t{16} << 20U);
    if (!old.has_value() || old->find(kNoteMarker) == std::string::npos) {
      return Error{.kind = ErrorKind::kInvalidArgument,
                   .message = "the debug note was not written",
                   .where = path,
                   .reason = "a file that assay did not write is there",
                   .help = "move it away, or give another path with --note FILE"};
    }
  }
  const std::string text = std::string(kNoteMarker) + "\n" + reports::Find("markdown")->render(report, {});
  const std::string beside = path + ".tmp" + std::to_string(getpid());
  std::FILE* file = std::fopen(beside.c_str(), "wbe");
  const bool whole = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int number = errno;
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!whole || !closed || std::rename(beside.c_str(), path.c_str()) != 0) {
    std::remove(beside.c_str());
    return Error{.kind = ErrorKind::kUnreadable,
                 .message = "cannot write the debug note",
                 .where = path,
                 .reason = std::strerror(whole ? errno : number)};
  }
  return Ok();
}

}  // namespace assay
