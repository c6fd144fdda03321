// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::FindingsOfLog;
using testing::ReadLogText;
using testing::Steps;
using testing::Trace;

FactStore WithDisk(std::string log, std::string name, double value) {
  FactStore facts = ReadLogText(log);
  facts.Add(Reading{.name = std::move(name),
                    .value = value,
                    .belongs_because = "saved beside the run",
                    .cite = {.source = SourceId{0}, .end = 4}});
  return facts;
}

TEST(DiskSpace, NamesAPathOnDisk) {
  EXPECT_TRUE(FindingsOfLog(Steps(5) + Trace("OSError: [Errno 28] No space left on device: '/scratch/u/ckpt/last.pt'"))
                  .Has("enospc-path"));
  EXPECT_FALSE(FindingsOfLog(Steps(5) + Trace("OSError: [Errno 28] No space left on device")).Has("enospc-path"));
  EXPECT_FALSE(
      FindingsOfLog(Steps(2) + Trace("OSError: [Errno 28] No space left on device: '/scratch/u/cache'") + Steps(5, 2, 20))
          .Has("enospc-path"));
}

TEST(DiskSpace, ReadsListings) {
  EXPECT_TRUE(FindingsOf(WithDisk(Steps(5), "disk./scratch.used_percent", 100)).Has("disk-near-full"));
  EXPECT_FALSE(FindingsOf(WithDisk(Steps(5), "disk./scratch.used_percent", 91)).Has("disk-near-full"));
  FactStore small = WithDisk(Steps(5), "disk./.free", 200e6);
  EXPECT_TRUE(FindingsOf(small).Has("disk-near-full"));
  small.Add(Reading{.name = "disk./.size", .value = 230e6, .belongs_because = "saved beside the run", .cite = {.end = 4}});
  EXPECT_FALSE(FindingsOf(small).Has("disk-near-full"));
  EXPECT_FALSE(FindingsOf(WithDisk(Steps(5), "disk./snap/core.used_percent", 100)).Has("disk-near-full"));
}

TEST(DiskSpace, APodEvictedForStorage) {
  const auto with = [](std::string_view reason) {
    FactStore facts = testing::ReadLogText("step 1 loss 2.0\n");
    facts.Add(SchedulerRecord{.job = "ft-0",
                              .state = "Evicted",
                              .reason = std::string(reason),
                              .belongs_because = "pod",
                              .cite = {.source = SourceId{0}, .begin = 0, .end = 4}});
    return testing::FindingsOf(facts).Has("disk-near-full");
  };
  EXPECT_TRUE(with("The node was low on resource: ephemeral-storage."));
  EXPECT_FALSE(with("The node was low on resource: memory."));
}

}  // namespace
}  // namespace assay
