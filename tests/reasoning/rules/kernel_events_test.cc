// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::ReadLogText;

// As many repaired errors as asked, so many seconds apart.
FactStore Repaired(int count, double apart, std::string because) {
  FactStore facts = ReadLogText("start\n");
  for (int i = 0; i < count; ++i) {
    facts.Add(SignatureHit{
        .signature = knowledge::FindSignature("pcie-error-repaired"),
        .cite = {.source = SourceId{0}, .begin = static_cast<std::uint64_t>(i), .end = static_cast<std::uint64_t>(i) + 1},
        .origin = Origin::kKernelLog,
        .time = Time{.seconds = apart * i},
        .belongs_because = because});
  }
  return facts;
}

TEST(KernelEvents, SeesAFlood) { EXPECT_TRUE(FindingsOf(Repaired(30, 3, "bus address")).Has("aer-correctable-flood")); }

TEST(KernelEvents, LeavesAFewAndThoseOfOthersAlone) {
  EXPECT_FALSE(FindingsOf(Repaired(30, 600, "bus address")).Has("aer-correctable-flood"));
  EXPECT_FALSE(FindingsOf(Repaired(30, 3, "")).Has("aer-correctable-flood"));
}

}  // namespace
}  // namespace assay
