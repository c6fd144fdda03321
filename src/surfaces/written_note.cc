// SPDX-License-Identifier: Apache-2.0
#include "surfaces/written_note.h"

#include <fcntl.h>
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
    if (!old.has_value() || !old->starts_with(kNoteMarker)) {
      return Error{.kind = ErrorKind::kInvalidArgument,
                   .message = "the debug note was not written",
                   .where = path,
                   .reason = "a file that assay did not write is there",
                   .help = "move it away, or give another path with --note FILE"};
    }
  }
  const std::string text = std::string(kNoteMarker) + "\n" + reports::Find("markdown")->render(report, {});
  // Written beside and renamed, so that nobody sees half a note. The name is always the same: what a kill leaves behind is taken
  // up by the next writing. A link of that name is not followed.
  const std::string beside = path + ".assay-tmp";
  const auto failed = [&](int number) {
    return Error{
        .kind = ErrorKind::kUnreadable, .message = "cannot write the debug note", .where = path, .reason = std::strerror(number)};
  };
  (void)unlink(beside.c_str());
  const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor < 0) return failed(errno);
  int number = 0;
  for (std::size_t done = 0; done < text.size() && number == 0;) {
    const ssize_t n = write(descriptor, text.data() + done, text.size() - done);
    if (n >= 0) done += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) number = errno;
  }
  if (close(descriptor) != 0 && number == 0) number = errno;
  if (number == 0 && std::rename(beside.c_str(), path.c_str()) != 0) number = errno;
  if (number == 0) return Ok();
  (void)unlink(beside.c_str());
  return failed(number);
}

}  // namespace assay
