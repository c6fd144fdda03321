// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/listing_facts.h"
#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format df_listing;
}
namespace {

using testing::CutEverywhere;
using testing::Fixture;
using testing::FlipEverywhere;
using testing::ReadAs;
using testing::Value;
using testing::Values;

constexpr double kGiB = 1024.0 * 1024 * 1024;

TEST(DfListing, ReadsSizesAndInodes) {
  const FactStore facts = ReadAs(formats::df_listing, "logs/df.txt", Fixture("df/df.txt"));
  EXPECT_EQ(Value(facts, "disk./scratch.free"), 20.0 * 1024);
  EXPECT_EQ(Value(facts, "disk./scratch.size"), 3.5 * 1024 * kGiB);
  EXPECT_EQ(Value(facts, "disk./scratch.used_percent"), 100);
  EXPECT_EQ(Value(facts, "disk./scratch.inodes"), 366216192);
  EXPECT_EQ(Value(facts, "disk./scratch.inodes_free"), 365403261);
  EXPECT_EQ(Value(facts, "disk./home.used"), 28 * 1024 * kGiB);
  for (const Reading& reading : FactView(facts).All<Reading>()) {
    ASSERT_TRUE(reading.time.has_value());
    EXPECT_EQ(FormatTime(*reading.time), "2026-05-11T22:39:02Z");
  }
}

TEST(DfListing, ReadsBlocksAndTypes) {
  const FactStore facts = ReadAs(formats::df_listing, "df.txt", Fixture("df/df_plain.txt"));
  EXPECT_EQ(Values(facts, "disk./.free"), (std::vector<double>{64370528.0 * 1024, 62 * kGiB}));
  EXPECT_EQ(Value(facts, "disk./.inodes_used"), 552019);
  EXPECT_EQ(Values(facts, "disk./dev/shm.size"), (std::vector<double>{24684084.0 * 1024, 24 * kGiB}));
}

TEST(DfListing, ReadsRowsWithoutHeaderThatTasksPrinted) {
  const FactStore facts = ReadAs(formats::df_listing, "df_shm.txt", Fixture("df/df_srun.txt"));
  EXPECT_EQ(Values(facts, "disk./dev/shm.free").size(), 32U);
  EXPECT_EQ(Value(facts, "disk./dev/shm.used"), 336.0 * 1024);
  // Without a header a bare number may count anything.
  EXPECT_TRUE(FactView(ReadAs(formats::df_listing, "x", "/dev/sda1 100 90 10 90% /\n")).All<Reading>().empty());
}

TEST(DfListing, ReadsAWrappedNameAndAMountWithBlanks) {
  const FactStore facts = ReadAs(formats::df_listing, "df.txt",
                                 "Filesystem            Size  Used Avail Use% Mounted on\n"
                                 "storage.example.net:/export/very/long/path/of/a/volume\n"
                                 "                       10T  9.9T  100G  99% /mnt/my data\n");
  EXPECT_EQ(Value(facts, "disk./mnt/my data.free"), 100 * kGiB);
}

TEST(DfListing, ReadsAQuotaThatIsExceeded) {
  const FactStore facts = ReadAs(formats::df_listing, "quota.txt", Fixture("df/quota.txt"));
  EXPECT_EQ(Value(facts, "quota.home-nfs:/export/u.used"), 100 * kGiB);
  EXPECT_EQ(Value(facts, "quota.home-nfs:/export/u.soft"), 95 * kGiB);
  EXPECT_EQ(Value(facts, "quota.home-nfs:/export/u.hard"), 100 * kGiB);
  EXPECT_EQ(Value(facts, "quota.home-nfs:/export/u.files_used"), 212000);
  EXPECT_EQ(Value(facts, "quota.home-nfs:/export/u.files_hard"), 550000);
  EXPECT_EQ(testing::TextOf(facts, "quota.home-nfs:/export/u.over"), "6days");
  EXPECT_EQ(Value(facts, "disk./u.free"), 29 * 1024 * kGiB);
}

TEST(DfListing, AQuotaWithoutLimitsHasNone) {
  const FactStore facts = ReadAs(formats::df_listing, "quota.txt",
                                 "Disk quotas for usr noor (uid 5012):\n"
                                 "     Filesystem  kbytes   quota   limit   grace   files   quota   limit   grace\n"
                                 "       /lustre  3145728       0       0       -    1200       0       0       -\n");
  EXPECT_EQ(Value(facts, "quota./lustre.used"), 3 * kGiB);
  EXPECT_TRUE(Values(facts, "quota./lustre.hard").empty());
  EXPECT_TRUE(Values(facts, "quota./lustre.over").empty());
}

TEST(DfListing, LeavesLogsAlone) {
  for (const std::string_view text : {"step 5 loss 2.0 lr 1e-4 10% /data/train\nstep 6\nstep 7\nstep 8\nstep 9\n",
                                      "Filesystem check passed\ntraining\nstep 1\nstep 2\n"}) {
    EXPECT_EQ(formats::df_listing.sniff({.path = "a.log", .bytes = std::as_bytes(std::span(text)), .size = text.size()}),
              Match::kNo)
        << text;
  }
}

TEST(DfListing, BearsDamage) {
  for (const std::string_view name : {"df/df.txt", "df/quota.txt", "df/df_plain.txt"}) {
    const std::string bytes = Fixture(name);
    const FactStore whole = ReadAs(formats::df_listing, "s", bytes);
    CutEverywhere(formats::df_listing, "s", bytes,
                  [&](std::size_t, const FactStore& facts) { testing::ExpectNoNewReadings(facts, whole); });
    FlipEverywhere(formats::df_listing, "s", bytes);
  }
}

}  // namespace
}  // namespace assay
