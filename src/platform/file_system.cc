// SPDX-License-Identifier: Apache-2.0
#include "platform/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "platform/mounts.h"

namespace assay {
namespace {

Error SystemError(std::string message, const std::string& path, int number) {
  const bool absent = number == ENOENT || number == ENOTDIR || number == ELOOP;
  return Error{.kind = absent ? ErrorKind::kNotFound : ErrorKind::kUnreadable,
               .message = std::move(message),
               .where = path,
               .reason = std::strerror(number)};
}

Error NotThere(const std::string& path) {
  return Error{.kind = ErrorKind::kNotFound, .message = "cannot open a file", .where = path, .reason = "no such file or folder"};
}

class PosixFile : public RandomAccessFile {
 public:
  PosixFile(int descriptor, std::uint64_t size, std::string path)
      : descriptor_(descriptor),
        size_(size),
        path_(std::move(path)) {}
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  ~PosixFile() override { close(descriptor_); }

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t n = pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return SystemError("cannot read a file", path_, errno);
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }
  std::uint64_t size() const override { return size_; }
  std::uint64_t NextStored(std::uint64_t offset) const override {
    if (offset >= size_) return offset;
    const off_t stored = lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
    if (stored < 0) return errno == ENXIO ? size_ : offset;
    return std::min(static_cast<std::uint64_t>(stored), size_);
  }

 private:
  int descriptor_;
  std::uint64_t size_;
  std::string path_;
};

class MemoryFile : public RandomAccessFile {
 public:
  explicit MemoryFile(const std::string& content) : content_(content) {}
  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= content_.size()) return std::size_t{0};
    const std::size_t n = std::min<std::size_t>(into.size(), content_.size() - offset);
    std::memcpy(into.data(), content_.data() + offset, n);
    return n;
  }
  std::uint64_t size() const override { return content_.size(); }

 private:
  std::string content_;
};

FileKind KindOfMode(mode_t mode) {
  return S_ISREG(mode) ? FileKind::kFile : S_ISDIR(mode) ? FileKind::kDirectory : FileKind::kOther;
}

}  // namespace

Status RealFileSystem::Reach(const std::string& path) const {
  const auto silent = mounts_ == nullptr ? std::nullopt : mounts_->SilentFor(root_ + path);
  if (!silent) return Ok();
  return Error{.kind = ErrorKind::kUnreadable,
               .message = "cannot look at a file",
               .where = path,
               .reason = "the mount " + *silent + " does not answer"};
}

Result<std::unique_ptr<RandomAccessFile>> RealFileSystem::Open(const std::string& path) const {
  ASSAY_TRY_STATUS(Reach(path));
  const std::string full = root_ + path;
  // Not blocking: a named pipe that somebody left in a run folder must not hang the open.
  const int descriptor = open(full.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return SystemError("cannot open a file", path, errno);
  struct stat info{};
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(descriptor);
    return Error{.kind = ErrorKind::kUnsupported, .message = "cannot open a file", .where = path, .reason = "not a regular file"};
  }
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<PosixFile>(descriptor, static_cast<std::uint64_t>(info.st_size), path));
}

Result<FileInfo> RealFileSystem::Stat(const std::string& path) const {
  ASSAY_TRY_STATUS(Reach(path));
  const std::string full = root_ + path;
  struct stat info{};
  struct stat link{};
  if (stat(full.c_str(), &info) != 0) return SystemError("cannot look at a file", path, errno);
  const bool is_link = lstat(full.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
  return FileInfo{.kind = KindOfMode(info.st_mode),
                  .size = static_cast<std::uint64_t>(info.st_size),
                  .modified = static_cast<double>(info.st_mtim.tv_sec) + static_cast<double>(info.st_mtim.tv_nsec) * 1e-9,
                  .is_link = is_link};
}

Status RealFileSystem::List(const std::string& path, const std::function<bool(const DirectoryEntry&)>& visit) const {
  ASSAY_TRY_STATUS(Reach(path));
  const std::string full = root_ + path;
  DIR* folder = opendir(full.c_str());
  if (folder == nullptr) return SystemError("cannot list a folder", path, errno);
  int failure = 0;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(folder);
    if (entry == nullptr) {
      failure = errno;
      break;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    DirectoryEntry out{.name = std::string(name), .kind = FileKind::kOther, .is_link = entry->d_type == DT_LNK};
    if (entry->d_type == DT_REG) {
      out.kind = FileKind::kFile;
    } else if (entry->d_type == DT_DIR) {
      out.kind = FileKind::kDirectory;
    } else if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) {
      struct stat info{};
      const bool reached = Reach(JoinPath(path, name)).has_value();
      if (reached && fstatat(dirfd(folder), entry->d_name, &info, 0) == 0) out.kind = KindOfMode(info.st_mode);
    }
    if (!visit(out)) break;
  }
  closedir(folder);
  if (failure != 0) return SystemError("cannot list a folder to its end", path, failure);
  return Ok();
}

Result<std::string> RealFileSystem::ReadLink(const std::string& path) const {
  std::array<char, 4096> target{};
  const ssize_t n = readlink((root_ + path).c_str(), target.data(), target.size());
  if (n < 0) return SystemError("cannot read a link", path, errno);
  return std::string(target.data(), static_cast<std::size_t>(n));
}

void MemoryFileSystem::Add(const std::string& path, std::string content, double modified) {
  files_.insert_or_assign(path, Entry{std::move(content), modified});
}

Result<std::unique_ptr<RandomAccessFile>> MemoryFileSystem::Open(const std::string& path) const {
  const auto it = files_.find(path);
  if (it == files_.end()) return NotThere(path);
  return std::unique_ptr<RandomAccessFile>(std::make_unique<MemoryFile>(it->second.content));
}

Result<FileInfo> MemoryFileSystem::Stat(const std::string& path) const {
  const auto it = files_.find(path);
  if (it != files_.end()) {
    return FileInfo{.kind = FileKind::kFile, .size = it->second.content.size(), .modified = it->second.modified};
  }
  const std::string prefix = path.ends_with('/') ? path : path + "/";
  const auto below = files_.lower_bound(prefix);
  if (below != files_.end() && below->first.starts_with(prefix)) return FileInfo{.kind = FileKind::kDirectory};
  return NotThere(path);
}

Status MemoryFileSystem::List(const std::string& path, const std::function<bool(const DirectoryEntry&)>& visit) const {
  const std::string prefix = path.ends_with('/') ? path : path + "/";
  std::set<std::string> seen;
  for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix); ++it) {
    const std::string rest = it->first.substr(prefix.size());
    const std::size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    if (!seen.insert(name).second) continue;
    const FileKind kind = slash == std::string::npos ? FileKind::kFile : FileKind::kDirectory;
    if (!visit({.name = name, .kind = kind})) break;
  }
  if (seen.empty()) return NotThere(path);
  return Ok();
}

Result<std::string> MemoryFileSystem::ReadLink(const std::string& path) const { return NotThere(path); }

Result<std::string> ReadWholeFile(const FileSystem& files, const std::string& path, std::uint64_t limit) {
  ASSAY_TRY(const std::unique_ptr<RandomAccessFile> file, files.Open(path));
  // Files of /proc and /sys say size 0, so the size is only a hint: read until the end or the limit.
  std::string content;
  std::array<std::byte, 65536> buffer{};
  for (;;) {
    ASSAY_TRY(const std::size_t n, file->ReadAt(content.size(), buffer));
    if (n == 0) return content;
    const auto* begin = reinterpret_cast<const char*>(buffer.data());
    content.append(begin, n);
    if (content.size() > limit) {
      return Error{.kind = ErrorKind::kUnsupported,
                   .message = "cannot read a file whole",
                   .where = path,
                   .reason = "it is longer than " + std::to_string(limit) + " bytes"};
    }
  }
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  std::string out(folder);
  if (!out.empty() && !out.ends_with('/')) out += '/';
  return out.append(name);
}

std::string_view BaseName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view ParentPath(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view Extension(std::string_view path) {
  const std::string_view name = BaseName(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view{} : name.substr(dot);
}

}  // namespace assay
