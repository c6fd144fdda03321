// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/time.h"
#include "tests/support/listing_facts.h"
#include "tests/support/probing.h"
#include "tests/support/reading.h"

namespace assay {
namespace probes {
extern const Probe scheduler;
}
namespace {

using testing::Understood;

constexpr std::string_view kRecord =
    "JobID|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList|MaxRSS|ReqMem\n"
    "40231|TIMEOUT|0:0|2026-05-01T10:00:00|2026-05-01T11:00:12|01:00:12|01:00:00|c4-113||64G\n"
    "40231.batch|CANCELLED|0:15|2026-05-01T10:00:00|2026-05-01T11:00:13|01:00:13||c4-113|66894132K|\n"
    "7|FAILED|1:0|2026-05-01T10:00:00|2026-05-01T11:00:12|01:00:12|01:00:00|c4-113||64G\n";

double At(std::string_view time) { return ParseTimePrefix(time)->time.seconds; }

TEST(SchedulerProbe, ReadsTheRecordOfTheRunsJob) {
  const RunTies ties{.jobs = {{.value = "40231", .said = "slurm-40231.out"}},
                     .local_window = RunWindow{At("2026-05-01T10:00:20"), At("2026-05-01T11:00:00")}};
  const FactStore facts = Understood(probes::scheduler, kRecord, ties);
  const auto records = FactView(facts).All<SchedulerRecord>();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].state, "TIMEOUT");
  EXPECT_EQ(records[0].belongs_because, "job 40231 is named by slurm-40231.out");
  EXPECT_EQ(records[1].peak_memory, 66894132.0 * 1024);
  EXPECT_EQ(records[1].belongs_because, "job 40231 is named by slurm-40231.out");
  EXPECT_EQ(records[2].belongs_because, "");
  for (const Reading& reading : FactView(facts).All<Reading>()) EXPECT_TRUE(reading.live);
}

TEST(SchedulerProbe, AJobOfTheSameNumberAtAnotherTimeIsAnotherJob) {
  const RunTies ties{.jobs = {{.value = "40231", .said = "slurm-40231.out"}},
                     .local_window = RunWindow{At("2025-05-01T10:00:20"), At("2025-05-01T11:00:00")}};
  const FactStore facts = Understood(probes::scheduler, kRecord, ties);
  EXPECT_FALSE(FactView(facts).All<SchedulerRecord>().empty());
  for (const SchedulerRecord& record : FactView(facts).All<SchedulerRecord>()) {
    EXPECT_EQ(record.belongs_because, "") << record.job;
  }
}

TEST(SchedulerProbe, ReadsScontrol) {
  const FactStore facts = Understood(probes::scheduler, testing::Fixture("sacct/scontrol.txt"),
                                     {.jobs = {{.value = "77120", .said = "slurm-77120.out"}}});
  ASSERT_EQ(FactView(facts).All<SchedulerRecord>().size(), 1U);
  EXPECT_EQ(FactView(facts).All<SchedulerRecord>()[0].belongs_because, "job 77120 is named by slurm-77120.out");
}

TEST(SchedulerProbe, SaysWhenTheRunNamesNoJob) {
  const RealFileSystem files;
  ChildOutput child{.finished = true};
  ProbeOutput output([&](std::string_view text) { child.text += text; });
  probes::scheduler.collect({.files = files, .ties = {.jobs = {{.value = "train; rm -rf x", .said = "train.log"}}}}, output);
  FactStore facts;
  InterpretProbe(probes::scheduler, child, {}, facts);
  ASSERT_EQ(FactView(facts).not_checked().size(), 1U);
  EXPECT_EQ(FactView(facts).not_checked()[0].why, "the run names no job id");
}

TEST(SchedulerProbe, BearsAnyText) {
  for (std::size_t length = 0; length <= kRecord.size(); ++length) Understood(probes::scheduler, kRecord.substr(0, length));
}

}  // namespace
}  // namespace assay
