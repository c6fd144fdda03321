// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/listing_facts.h"
#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format sacct_listing;
}
namespace {

using testing::CutEverywhere;
using testing::Fixture;
using testing::FlipEverywhere;
using testing::ReadAs;
using testing::Value;
using testing::Values;

std::span<const SchedulerRecord> Records(const FactStore& facts) { return FactView(facts).All<SchedulerRecord>(); }

TEST(SacctListing, ReadsColumns) {
  const FactStore facts = ReadAs(formats::sacct_listing, "sacct.txt", Fixture("sacct/sacct.txt"));
  const auto records = Records(facts);
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[0].job, "88123");
  EXPECT_EQ(records[0].state, "CANCELLED");
  EXPECT_EQ(records[0].cancelled_by, "1044");
  EXPECT_EQ(records[0].exit_code, 0);
  EXPECT_FALSE(records[0].signal.has_value());
  EXPECT_EQ(records[0].limit_seconds, 3 * 86400.0);
  EXPECT_EQ(records[0].elapsed_seconds, 12 * 3600.0 + 10 * 60 + 34);
  EXPECT_EQ(records[0].requested_memory, 240.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(records[0].node, "gpu07");
  EXPECT_FALSE(records[0].peak_memory.has_value());
  EXPECT_EQ(records[3].job, "88123.0");
  EXPECT_EQ(records[3].signal, 15);
  EXPECT_EQ(records[3].peak_memory, 61204112.0 * 1024);
  EXPECT_EQ(records[3].cite.line, 7U);
  EXPECT_TRUE(records[0].belongs_because.empty());  // whose job it is, the ties say
  EXPECT_EQ(FormatTime(*FactView(facts).All<Reading>().front().time), "2026-02-02T22:01:38");
}

TEST(SacctListing, ReadsBothAttemptsOfARequeuedJob) {
  const FactStore facts = ReadAs(formats::sacct_listing, "sacct.txt", Fixture("sacct/sacct_requeued.txt"));
  ASSERT_EQ(Records(facts).size(), 2U);
  EXPECT_EQ(Records(facts)[0].state, "PREEMPTED");
  EXPECT_EQ(Records(facts)[1].state, "COMPLETED");
  EXPECT_EQ(Records(facts)[1].node, "gpu04");
}

TEST(SacctListing, ReadsParsableOutput) {
  const FactStore facts = ReadAs(formats::sacct_listing, "sacct.txt", Fixture("sacct/parsable.txt"));
  ASSERT_EQ(Records(facts).size(), 3U);
  EXPECT_EQ(Records(facts)[1].state, "OUT_OF_MEMORY");
  EXPECT_EQ(Records(facts)[1].signal, 125);
  EXPECT_EQ(Records(facts)[1].peak_memory, 66894132.0 * 1024);
}

TEST(SacctListing, ReadsScontrolAndSeff) {
  const FactStore control = ReadAs(formats::sacct_listing, "job.txt", Fixture("sacct/scontrol.txt"));
  ASSERT_EQ(Records(control).size(), 1U);
  EXPECT_EQ(Records(control)[0].job, "77120");
  EXPECT_EQ(Records(control)[0].state, "TIMEOUT");
  EXPECT_EQ(Records(control)[0].reason, "TimeLimit");
  EXPECT_EQ(Records(control)[0].limit_seconds, 86400.0);
  EXPECT_EQ(Records(control)[0].elapsed_seconds, 86412.0);
  EXPECT_EQ(Records(control)[0].node, "gpu[03-04]");
  EXPECT_EQ(Records(control)[0].requested_memory, 256.0 * 1024 * 1024 * 1024);
  const FactStore seff = ReadAs(formats::sacct_listing, "seff.txt", Fixture("sacct/seff.txt"));
  ASSERT_EQ(Records(seff).size(), 1U);
  EXPECT_EQ(Records(seff)[0].state, "OUT_OF_MEMORY");
  EXPECT_EQ(Records(seff)[0].requested_memory, 64.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(Records(seff)[0].elapsed_seconds, 4364.0);
}

TEST(SacctListing, AStateCutByItsColumnIsReadAsFarAsItIsSure) {
  const FactStore facts = ReadAs(formats::sacct_listing, "sacct.txt",
                                 "JobID             State ExitCode\n------------ ---------- --------\n12           OUT_OF_ME+    "
                                 "0:125\n13           CANCELLED+      0:0\n");
  ASSERT_EQ(Records(facts).size(), 2U);
  EXPECT_EQ(Records(facts)[0].state, "OUT_OF_MEMORY");
  EXPECT_EQ(Records(facts)[1].state, "CANCELLED");
  EXPECT_EQ(Records(facts)[1].cancelled_by, "");
}

TEST(SacctListing, BearsDamage) {
  for (const std::string_view name : {"sacct/sacct.txt", "sacct/scontrol.txt", "sacct/parsable.txt", "sacct/seff.txt"}) {
    const std::string bytes = Fixture(name);
    const std::size_t whole = Records(ReadAs(formats::sacct_listing, "s", bytes)).size();
    CutEverywhere(formats::sacct_listing, "s", bytes,
                  [&](std::size_t, const FactStore& facts) { EXPECT_LE(Records(facts).size(), whole); });
    FlipEverywhere(formats::sacct_listing, "s", bytes);
  }
}

TEST(SacctListing, ReadsTheQueue) {
  const FactStore facts = ReadAs(formats::sacct_listing, "squeue.txt",
                                 "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
                                 "           1288121       gpu  llm-sft   mira_k PD       0:00      4 (Resources)\n"
                                 "           1287001       gpu    evalx    bob_t  R   22:01:44      1 nova-03\n"
                                 "not a job at all\n");
  const auto records = Records(facts);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].job, "1288121");
  EXPECT_EQ(records[0].state, "PENDING");
  EXPECT_EQ(records[0].reason, "(Resources)");
  EXPECT_EQ(records[1].state, "RUNNING");
  EXPECT_EQ(records[1].node, "nova-03");
  EXPECT_TRUE(records[1].belongs_because.empty());
}

TEST(SacctListing, ReadsPodsWhoeverTheyBelongTo) {
  const std::string bytes =
      "NAME                        READY   STATUS             RESTARTS        AGE\n"
      "sft-12-master-0             0/1     Completed          0               3h12m\n"
      "web-7d4b9c-abcde            0/1     CrashLoopBackOff   31 (2m ago)     2d\n"
      "scraper-6c9d7f5b9-x2x7q     0/1     OOMKilled          4 (11m ago)     5h\n";
  const FactStore facts = ReadAs(formats::sacct_listing, "pods.txt", bytes);
  const auto records = Records(facts);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].job, "sft-12-master-0");
  EXPECT_EQ(records[1].state, "CrashLoopBackOff");
  EXPECT_TRUE(FactView(facts).All<SignatureHit>().empty());
  CutEverywhere(formats::sacct_listing, "pods.txt", bytes);
  FlipEverywhere(formats::sacct_listing, "pods.txt", bytes);
}

}  // namespace
}  // namespace assay
