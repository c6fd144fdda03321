// SPDX-License-Identifier: Apache-2.0
#include "platform/mounts.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <deque>
#include <utility>

#include "base/text.h"
#include "platform/file_system.h"
#include "platform/process.h"

namespace assay {
namespace {

constexpr double kDeadline = 2;  // seconds
constexpr int kMostLinks = 40;   // as the kernel does

bool IsRemote(std::string_view type) {
  static constexpr std::array<std::string_view, 20> kTypes{
      "nfs", "nfs4",         "cifs",      "smb3",     "smbfs", "afs",   "ceph",   "lustre",   "gpfs",   "beegfs",
      "9p",  "beegfs_nodev", "glusterfs", "orangefs", "pvfs2", "panfs", "wekafs", "virtiofs", "davfs2", "pstorage"};
  return type.starts_with("fuse") || std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

// The table writes a blank as \040.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool octal =
        text[i] == '\\' && i + 3 < text.size() && IsDigit(text[i + 1]) && IsDigit(text[i + 2]) && IsDigit(text[i + 3]);
    if (!octal) {
      out.push_back(text[i]);
      continue;
    }
    out.push_back(static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')));
    i += 3;
  }
  return out;
}

// Asks the server for the folder and for its first entries. No file is read: one that lies on tape would be fetched.
void Ask(const std::string& mount_point) {
  constexpr int kEntries = 4;  // two of them are the folder itself and its parent
  DIR* folder = opendir(mount_point.c_str());
  if (folder == nullptr) return;  // an error is an answer
  for (int i = 0; i < kEntries; ++i) {
    const dirent* entry = readdir(folder);
    if (entry == nullptr) break;
    struct stat info{};
    (void)fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW);
  }
  closedir(folder);
}

bool AnswersInTime(const std::string& mount_point) {
  const auto asked = [&] {
    Ask(mount_point);
    return std::string();
  };
  return RunInChild(asked, kDeadline).has_value();
}

}  // namespace

std::vector<Mount> ReadMountTable(std::string_view table) {
  constexpr std::size_t kMost = 4096;
  std::vector<Mount> mounts;
  for (const std::string_view line : Split(table, '\n')) {
    const std::vector<std::string_view> words = Split(line, ' ');
    if (words.size() >= 3 && mounts.size() < kMost) mounts.push_back({Unescaped(words[1]), std::string(words[2])});
  }
  return mounts;
}

RemoteMounts::RemoteMounts(const std::vector<Mount>& mounts, std::function<bool(const std::string&)> answers)
    : answers_(answers ? std::move(answers) : AnswersInTime) {
  for (const Mount& mount : mounts) {
    if (IsRemote(mount.type)) points_.push_back(mount.point);
  }
}

RemoteMounts RemoteMounts::OfThisProcess() {
  const auto table = ReadWholeFile(RealFileSystem(), "/proc/self/mounts", std::uint64_t{4} << 20U);
  return RemoteMounts(table.has_value() ? ReadMountTable(*table) : std::vector<Mount>{});
}

// Walks the path as the kernel would, one name at a time, and stops before the first mount that does not answer.
std::optional<std::string> RemoteMounts::SilentFor(const std::string& path) const {
  if (points_.empty()) return std::nullopt;
  std::string at;
  if (!path.starts_with('/')) {
    std::array<char, PATH_MAX> here{};
    if (getcwd(here.data(), here.size()) == nullptr) return std::nullopt;
    at = here.data();
  }
  const std::string asked = at + "/" + path;
  const std::size_t folder = asked.rfind('/');
  std::deque<std::string> names;
  if (const auto walked = walked_.find(asked.substr(0, folder)); walked != walked_.end()) {
    at = walked->second;
    names.push_back(asked.substr(folder + 1));
  } else {
    for (const std::string_view name : Split(asked, '/')) names.emplace_back(name);
    at.clear();
  }
  for (int links = 0; !names.empty();) {
    const std::string name = std::move(names.front());
    names.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = at + "/" + name;
    if (std::find(points_.begin(), points_.end(), next) != points_.end()) {
      const auto [known, added] = asked_.try_emplace(next, true);
      if (added) known->second = answers_(next);
      if (!known->second) return next;
    }
    if (names.empty()) walked_.try_emplace(asked.substr(0, folder), at);
    std::array<char, PATH_MAX> target{};
    const ssize_t length = readlink(next.c_str(), target.data(), target.size());
    if (length <= 0) {
      at = next;
      continue;
    }
    if (++links > kMostLinks) return std::nullopt;
    const std::string_view text(target.data(), static_cast<std::size_t>(length));
    if (text.starts_with('/')) at.clear();
    std::deque<std::string> parts;
    for (const std::string_view part : Split(text, '/')) parts.emplace_back(part);
    names.insert(names.begin(), parts.begin(), parts.end());
  }
  return std::nullopt;
}

}  // namespace assay
