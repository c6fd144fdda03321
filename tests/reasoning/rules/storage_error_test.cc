// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOfLog;
using testing::Steps;
using testing::Trace;

const std::string kStale = Trace("OSError: [Errno 116] Stale file handle: '/mnt/corpora/a.flac'");

TEST(StorageError, NamesThePath) { EXPECT_TRUE(FindingsOfLog(Steps(5) + kStale).Has("io-error-path")); }

TEST(StorageError, StaysSilentWhereTheRunWentOn) {
  EXPECT_FALSE(FindingsOfLog(Steps(2) + kStale + Steps(5, 2, 20)).Has("io-error-path"));
}

// The terminal of a run that outlived its session answers so.
TEST(StorageError, NeedsAPath) {
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("OSError: [Errno 5] Input/output error")).Has("io-error-path"));
}

}  // namespace
}  // namespace assay
