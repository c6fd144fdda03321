// SPDX-License-Identifier: Apache-2.0
#include "evidence/discovery/git_state.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "evidence/codecs/sha1.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxIndex = std::uint64_t{64} << 20U;
constexpr std::uint64_t kMaxHashed = std::uint64_t{8} << 20U;  // larger files are not hashed to decide
constexpr std::uint64_t kMaxHashedInAll = std::uint64_t{256} << 20U;
constexpr std::size_t kMaxFiles = 50000;

struct GitFolder {
  std::string work_tree;
  std::string git;     // of this work tree
  std::string common;  // objects and refs; another one for linked work trees
};

std::optional<std::string> SmallFile(const FileSystem& files, const std::string& path) {
  auto text = ReadWholeFile(files, path, std::uint64_t{16} << 20U);
  if (!text.has_value()) return std::nullopt;
  return std::move(text).value();
}

std::optional<GitFolder> FindGit(const FileSystem& files, std::string folder) {
  for (int depth = 0; depth < 40 && !folder.empty(); ++depth) {
    const std::string path = JoinPath(folder, ".git");
    const auto info = files.Stat(path);
    if (info.has_value() && info->kind == FileKind::kDirectory) return GitFolder{folder, path, path};
    if (info.has_value() && info->kind == FileKind::kFile) {
      const std::string text = SmallFile(files, path).value_or("");
      if (!text.starts_with("gitdir:")) return std::nullopt;
      const std::string target(Trim(std::string_view(text).substr(7)));
      const std::string git = target.starts_with('/') ? target : JoinPath(folder, target);
      const std::string common(Trim(SmallFile(files, JoinPath(git, "commondir")).value_or("")));
      return GitFolder{folder, git, common.empty() ? git : common.starts_with('/') ? common : JoinPath(git, common)};
    }
    folder = std::string(ParentPath(folder));
  }
  return std::nullopt;
}

bool IsCommit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); });
}

std::string Resolve(const FileSystem& files, const GitFolder& git, const std::string& reference) {
  for (const std::string& folder : {git.git, git.common}) {
    const std::string text(Trim(SmallFile(files, JoinPath(folder, reference)).value_or("")));
    if (IsCommit(text)) return text;
  }
  const std::string packed = SmallFile(files, JoinPath(git.common, "packed-refs")).value_or("");
  for (const std::string_view line : Split(packed, '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos && line.substr(blank + 1) == reference && IsCommit(line.substr(0, blank)))
      return std::string(line.substr(0, blank));
  }
  return {};
}

std::uint32_t BigEndian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// The file's content has this blob id.
bool HasBlob(const FileSystem& files, const std::string& path, std::string_view id) {
  const auto content = ReadWholeFile(files, path, kMaxHashed);
  if (!content.has_value()) return false;
  std::string object = "blob " + std::to_string(content->size());
  object += '\0';
  const auto digest = Sha1(object + *content);
  return std::equal(id.begin(), id.end(), digest.begin(), digest.end(),
                    [](char a, std::uint8_t b) { return static_cast<unsigned char>(a) == b; });
}

// nullopt: the index could not be read, or does not decide.
std::optional<bool> IsDirty(const FileSystem& files, const GitFolder& git) {
  const auto read = ReadWholeFile(files, JoinPath(git.git, "index"), kMaxIndex);
  if (!read.has_value()) return std::nullopt;
  const std::string_view index = *read;
  if (index.size() < 32 || !index.starts_with("DIRC")) return std::nullopt;
  const std::uint32_t version = BigEndian(index, 4);
  const std::uint32_t count = BigEndian(index, 8);
  if (version < 2 || version > 4 || count > kMaxFiles) return std::nullopt;
  std::size_t at = 12;
  std::string previous;
  bool undecided = false;
  std::uint64_t hashed = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    constexpr std::size_t kFixed = 62;  // ten 32-bit fields of stat data, 20 bytes of id, 16 bits of flags
    if (at + kFixed + 2 > index.size()) return std::nullopt;
    const double modified = BigEndian(index, at + 8) + BigEndian(index, at + 12) * 1e-9;
    const std::uint32_t mode = BigEndian(index, at + 24);
    const std::uint32_t size = BigEndian(index, at + 36);
    const std::string_view id = index.substr(at + 40, 20);
    const unsigned flags = static_cast<unsigned char>(index[at + 60]) * 256U + static_cast<unsigned char>(index[at + 61]);
    const bool extended = version >= 3 && (flags & 0x4000U) != 0;
    const unsigned more = extended ? static_cast<unsigned char>(index[at + 62]) * 256U : 0;
    std::size_t name = at + kFixed + (extended ? 2 : 0);
    std::string path;
    if (version == 4) {
      std::uint64_t drop = static_cast<unsigned char>(index[name]) & 0x7FU;
      while ((static_cast<unsigned char>(index[name]) & 0x80U) != 0) {
        if (++name >= index.size() || drop > kMaxIndex) return std::nullopt;
        drop = ((drop + 1) << 7U) | (static_cast<unsigned char>(index[name]) & 0x7FU);
      }
      ++name;
      if (drop > previous.size()) return std::nullopt;
      path = previous.substr(0, previous.size() - drop);
    }
    const std::size_t end = index.find('\0', name);
    if (end == std::string_view::npos) return std::nullopt;
    path += index.substr(name, end - name);
    previous = path;
    at = version == 4 ? end + 1 : at + ((end - at) / 8 + 1) * 8;

    const bool skipped = (more & 0x4000U) != 0 || (flags & 0x8000U) != 0;  // skip-worktree, assume-unchanged
    const bool regular = (mode & 0xF000U) == 0x8000U;
    if (skipped || !regular || path.starts_with(".assay/")) continue;
    const std::string full = JoinPath(git.work_tree, path);
    const auto info = files.Stat(full);
    if (!info.has_value()) return true;
    if (static_cast<std::uint32_t>(info->size) == size && std::abs(info->modified - modified) < 1e-6) continue;
    // Touched. A filter or another line ending would make the same content look different, so only equal content is an answer,
    // and a different size without any filter in the repository.
    hashed += std::min(info->size, kMaxHashed);
    if (hashed > kMaxHashedInAll) return std::nullopt;
    if (HasBlob(files, full, id)) continue;
    if (static_cast<std::uint32_t>(info->size) != size && size != 0) return true;
    if (info->size <= kMaxHashed) return true;
    undecided = true;
  }
  return undecided ? std::nullopt : std::optional(false);
}

std::string RecordedCommit(const FactView& facts) {
  static constexpr std::array<std::string_view, 6> kNames{"commit",   "git_commit",  "git_sha",
                                                          "git_hash", "commit_hash", "git_commit_hash"};
  for (const std::string_view name : kNames) {
    for (const ConfigValue* value : facts.Config(name)) {
      const std::string text = ToLower(Trim(value->value));
      if (IsCommit(text)) return text;
    }
  }
  return {};
}

}  // namespace

void ReadGitState(const FileSystem& files, const std::string& project, FactStore& facts) {
  const auto git = FindGit(files, project);
  if (!git) return;
  const std::string head_path = JoinPath(git->git, "HEAD");
  const std::string head(Trim(SmallFile(files, head_path).value_or("")));
  GitState state{.dirty = IsDirty(files, *git), .recorded_commit = RecordedCommit(FactView(facts))};
  if (head.starts_with("ref: ")) {
    const std::string reference = head.substr(5);
    state.branch = reference.starts_with("refs/heads/") ? reference.substr(11) : reference;
    state.commit = Resolve(files, *git, reference);
  } else if (IsCommit(head)) {
    state.commit = head;
  }
  const std::string captured = "HEAD " + head + "\ncommit " + state.commit + "\n";
  const SourceId source =
      facts.AddSource({.path = "git work tree", .kind = SourceKind::kReading, .format = "git", .captured = captured});
  state.cite = {.source = source, .begin = 0, .end = captured.size()};
  if (!state.dirty) facts.AddNotChecked("uncommitted changes", "git's index could not be read or does not decide");
  facts.Add(std::move(state));
}

}  // namespace assay
