// SPDX-License-Identifier: Apache-2.0
#include "case/state_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/hash.h"
#include "platform/file_system.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool IsOwnAndWritable(const std::string& folder) {
  struct stat info{};
  return stat(folder.c_str(), &info) == 0 && info.st_uid == geteuid() && access(folder.c_str(), W_OK) == 0;
}

bool MayHoldState(const std::string& path) {
  struct stat info{};
  if (lstat(path.c_str(), &info) != 0) return errno == ENOENT;
  return S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

// "$NAME<below>" where the variable names an absolute path, else empty: what is relative means another place in every folder.
std::string Below(const char* variable, const char* below) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value == '/' ? std::string(value) + below : std::string();
}

std::string UserState(const std::string& project) {
  std::string base = Below("XDG_STATE_HOME", "");
  if (base.empty()) base = Below("HOME", "/.local/state");
  if (base.empty()) return {};
  std::error_code error;
  const std::string real = fs::weakly_canonical(project, error).string();
  return base + "/assay/" + Sha256Hex(error ? project : real).substr(0, 16);
}

std::string FolderOfProject(const std::string& project) {
  std::error_code error;
  return fs::is_directory(project, error) ? project : std::string(ParentPath(project).empty() ? "." : ParentPath(project));
}

}  // namespace

std::vector<std::string> StateFolders(const std::string& project, const std::string& override_folder) {
  if (!override_folder.empty()) return {override_folder};
  const std::string folder = FolderOfProject(project);
  std::vector<std::string> folders{JoinPath(folder, ".assay")};
  if (std::string user = UserState(folder); !user.empty()) folders.push_back(std::move(user));
  return folders;
}

std::string StateFolder(const std::string& project, const std::string& override_folder) {
  if (!override_folder.empty()) return override_folder;
  const std::string folder = FolderOfProject(project);
  const std::string own = JoinPath(folder, ".assay");
  return IsOwnAndWritable(folder) && MayHoldState(own) ? own : UserState(folder);
}

}  // namespace assay
