// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of mounts, and mounts whose server may be gone: a call on such a path never returns and cannot be ended, so whoever
// follows paths asks here first. The table comes from the kernel (proc(5), /proc/self/mounts); reading it touches no mount.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct Mount {
  std::string point;
  std::string type;
};
std::vector<Mount> ReadMountTable(std::string_view table);

// Not for several threads at once.
class RemoteMounts {
 public:
  // Keeps the mounts that ask somebody else: NFS, FUSE, Lustre, …
  // `answers` says whether a mount point does; tests give their own.
  explicit RemoteMounts(const std::vector<Mount>& mounts, std::function<bool(const std::string&)> answers = {});
  static RemoteMounts OfThisProcess();

  // The mount point on which `path` lies, links followed, if it does not answer; nullopt otherwise. Each mount is asked once, in
  // a child with a deadline of two seconds.
  std::optional<std::string> SilentFor(const std::string& path) const;

 private:
  std::vector<std::string> points_;
  std::function<bool(const std::string&)> answers_;
  mutable std::map<std::string, bool> asked_;
  // Folders that were walked, and where they lead: the same ones come again with every file.
  mutable std::map<std::string, std::string> walked_;
};

}  // namespace assay
