// SPDX-License-Identifier: Apache-2.0

// A file of .assay/signatures/, which may come with a folder that somebody sent: what is kept must be sound enough to search
// with.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "evidence/logs/user_signatures.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::MemoryFileSystem files;
  files.Add("/s/ours.toml", {reinterpret_cast<const char*>(data), size});
  assay::UserSignatures signatures;
  signatures.Load(files, "/s", "s");
  for (const assay::Signature& signature : signatures.all()) ASSAY_CHECK(!signature.id.empty() && !signature.literals.empty());
  return 0;
}
