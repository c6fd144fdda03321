// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only way to files. The real one can be rooted in another folder ("/" of a fixture), so that system readers are tested on
// trees; the in-memory twin serves unit tests. Nothing here writes: writing belongs to the case (case/ledger.h).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace assay {

class RemoteMounts;

enum class FileKind { kFile, kDirectory, kOther };

struct FileInfo {
  FileKind kind = FileKind::kOther;
  std::uint64_t size = 0;  // bytes
  double modified = 0;     // seconds since the epoch, UTC
  bool is_link = false;
};

struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::kOther;
  bool is_link = false;
};

// Positional reads. The file may shrink or grow meanwhile; a read past the end returns fewer bytes, never an error.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  virtual Result<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) const = 0;
  virtual std::uint64_t size() const = 0;  // when it was opened
  // The first place from `offset` on whose bytes the disk holds. What lies between reads as zeros, without end in a sparse file
  // of terabytes. Where that is not known: `offset`.
  virtual std::uint64_t NextStored(std::uint64_t offset) const { return offset; }
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<RandomAccessFile>> Open(const std::string& path) const = 0;  // regular files only
  virtual Result<FileInfo> Stat(const std::string& path) const = 0;                           // follows links
  // Entries in no order; `visit` returns false to stop early.
  virtual Status List(const std::string& path, const std::function<bool(const DirectoryEntry&)>& visit) const = 0;
  virtual Result<std::string> ReadLink(const std::string& path) const = 0;
};

class RealFileSystem : public FileSystem {
 public:
  // With `mounts`, which must live as long, what lies on a mount that does not answer is an error and no hang.
  explicit RealFileSystem(std::string root = "", const RemoteMounts* mounts = nullptr)
      : root_(std::move(root)),
        mounts_(mounts) {}
  Result<std::unique_ptr<RandomAccessFile>> Open(const std::string& path) const override;
  Result<FileInfo> Stat(const std::string& path) const override;
  Status List(const std::string& path, const std::function<bool(const DirectoryEntry&)>& visit) const override;
  Result<std::string> ReadLink(const std::string& path) const override;

 private:
  Status Reach(const std::string& path) const;

  std::string root_;
  const RemoteMounts* mounts_;
};

// Files by absolute path; folders exist where files lie below them.
class MemoryFileSystem : public FileSystem {
 public:
  void Add(const std::string& path, std::string content, double modified = 0);
  Result<std::unique_ptr<RandomAccessFile>> Open(const std::string& path) const override;
  Result<FileInfo> Stat(const std::string& path) const override;
  Status List(const std::string& path, const std::function<bool(const DirectoryEntry&)>& visit) const override;
  Result<std::string> ReadLink(const std::string& path) const override;

 private:
  struct Entry {
    std::string content;
    double modified;
  };
  std::map<std::string, Entry> files_;
};

// The whole file, or an error when it is longer than `limit` bytes. For small files: configs, /proc.
Result<std::string> ReadWholeFile(const FileSystem& files, const std::string& path, std::uint64_t limit);

std::string JoinPath(std::string_view folder, std::string_view name);
std::string_view BaseName(std::string_view path);
std::string_view ParentPath(std::string_view path);
std::string_view Extension(std::string_view path);  // ".json", or "" ; of the last component

}  // namespace assay
