// SPDX-License-Identifier: Apache-2.0

// A repository that came with the run's folder. The input is cut at bytes 0xFF into the files that are read.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "evidence/discovery/git_state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::string_view, 6> kFiles{".git/HEAD",        ".git/refs/heads/main",
                                                   ".git/packed-refs", ".git/index",
                                                   ".git/config",      ".git/objects/aa/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"};
  assay::MemoryFileSystem files;
  files.Add("/p/train.py", "import torch\n");
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (const std::string_view name : kFiles) {
    const std::size_t end = rest.find('\xff');
    files.Add("/p/" + std::string(name), std::string(rest.substr(0, end)));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  assay::FactStore facts;
  assay::ReadGitState(files, "/p", facts);
  return 0;
}
