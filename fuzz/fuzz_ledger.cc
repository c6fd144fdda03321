// SPDX-License-Identifier: Apache-2.0

// A ledger that somebody edited, cut or sent: it is read, its report is rebuilt and its citations are looked up.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "case/ledger.h"
#include "case/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string folder = [] {
    std::string path = std::filesystem::temp_directory_path().string() + "/assay-fuzz-" + std::to_string(getpid());
    std::filesystem::create_directories(path);
    return path;
  }();
  std::ofstream(folder + "/ledger.jsonl", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  (void)assay::ReadLedgerFile(folder + "/ledger.jsonl");
  const auto report = assay::ReadCaseReport(folder);
  if (report.has_value()) (void)assay::VerifyCitations(*report, assay::MemoryFileSystem());
  return 0;
}
