// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::ConcludeFromText;
using testing::Ids;
using testing::IsNotChecked;

constexpr std::string_view kRule = "shared-memory";
constexpr std::string_view kBusError =
    "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).\n"
    "RuntimeError: DataLoader worker (pid 71) is killed by signal: Bus error. It is possible that dataloader's workers are out "
    "of shared memory. Please "
    "try to raise your shared memory limit.\n";
constexpr std::string_view kRefused = "RuntimeError: unable to write to file </torch_2351_1831>: No space left on device (28)\n";

TEST(SharedMemory, TheGuessOfTheLoaderAlone) {
  const Findings findings = ConcludeFromText(kRule, kBusError);
  EXPECT_EQ(Ids(findings, kRule), "shm-error");
  EXPECT_TRUE(findings.contradictions().empty());
  EXPECT_TRUE(IsNotChecked(findings, "shm-full"));
}

TEST(SharedMemory, FullInTheRunsOwnLog) {
  EXPECT_EQ(
      Ids(ConcludeFromText(kRule, std::string(kBusError) + "+ df -h /dev/shm\nFilesystem      Size  Used Avail Use% Mounted on\n"
                                                           "shm              64M   64M     0 100% /dev/shm\n"),
          kRule),
      "shm-small shm-full shm-error");
}

TEST(SharedMemory, AlmostEmptyContradictsTheGuess) {
  const Findings findings = ConcludeFromText(kRule, "tmpfs            94G  336K   94G   1% /dev/shm\n" + std::string(kBusError));
  EXPECT_EQ(Ids(findings, kRule), "shm-ample");
  ASSERT_EQ(findings.contradictions().size(), 1U);
  EXPECT_EQ(findings.contradictions().front().blocks, std::vector<std::string>{"oom-shm"});
}

TEST(SharedMemory, AReadingAfterTheWorkersHadGoneContradictsAndProvesNothing) {
  const Findings findings = ConcludeFromText(kRule, std::string(kBusError) + "tmpfs            94G  336K   94G   1% /dev/shm\n");
  EXPECT_EQ(Ids(findings, kRule), "");
  EXPECT_EQ(findings.contradictions().size(), 1U);
}

TEST(SharedMemory, ASavedListingOfAnotherTime) {
  FactStore facts = testing::ReadLogText("2026-02-02 10:00:00 step 1 loss 2.0\n" + std::string(kBusError));
  const SourceId listing = facts.AddSource({.path = "df.txt", .size = 100});
  const Citation cite{.source = listing, .begin = 0, .end = 50, .line = 2};
  const Time later{.seconds = 1780000000, .zoned = false};
  facts.Add(Reading{
      .name = "disk./dev/shm.size", .value = 64.0 * 1024 * 1024 * 1024, .belongs_because = "saved", .time = later, .cite = cite});
  facts.Add(Reading{
      .name = "disk./dev/shm.used", .value = 63.9 * 1024 * 1024 * 1024, .belongs_because = "saved", .time = later, .cite = cite});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "shm-error");
}

TEST(SharedMemory, ARefusedWriteIsAnErrorOfItsOwn) {
  const Findings findings = ConcludeFromText(kRule, kRefused);
  EXPECT_EQ(Ids(findings, kRule), "");
  EXPECT_TRUE(findings.Has("shm-refused"));
}

TEST(SharedMemory, AnEmptyMountWithoutTroubleIsNothing) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule, "tmpfs            94G  336K   94G   1% /dev/shm\nstep 1 loss 2.0\n"), kRule), "");
}

TEST(SharedMemory, BlocksOfOneKiB) {
  EXPECT_EQ(Ids(ConcludeFromText(kRule, "shm               65536 64900       636 100% /dev/shm\n"), kRule), "shm-small");
  EXPECT_EQ(Ids(ConcludeFromText(kRule, "tmpfs         131900000 64900 131835100   1% /dev/shm\n"), kRule), "");
}

}  // namespace
}  // namespace assay
