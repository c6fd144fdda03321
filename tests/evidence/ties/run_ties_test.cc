// SPDX-License-Identifier: Apache-2.0
#include "evidence/ties/run_ties.h"

#include <gtest/gtest.h>

#include "evidence/codecs/text_file.h"
#include "evidence/formats/format.h"
#include "evidence/logs/log_reader.h"
#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format text_log;
extern const Format dmesg_text;
extern const Format sacct_listing;
extern const Format kubectl_describe;
}  // namespace formats
namespace {

// Several artifacts of one run in one store.
void Read(const Format& format, std::string_view path, std::string_view text, FactStore& facts, double modified = 0) {
  const TextFile file(text);
  const SourceId source =
      facts.AddSource({.path = std::string(path), .format = std::string(format.id), .size = text.size(), .modified = modified});
  format.read({.source = source, .path = path, .file = file, .logs = LogReader::Shared()}, facts);
}

const SignatureHit* Hit(const FactStore& facts, std::string_view signature, std::string_view pid) {
  for (const SignatureHit& hit : FactView(facts).All<SignatureHit>()) {
    if (hit.signature->id == signature && hit.Capture("pid") == pid) return &hit;
  }
  return nullptr;
}

std::string Kill(std::string_view clock, std::string_view pid) {
  return std::string(clock) + " Memory cgroup out of memory: Killed process " + std::string(pid) +
         " (python) total-vm:1kB, anon-rss:1kB, file-rss:1kB, shmem-rss:0kB\n";
}

constexpr std::string_view kLog =
    "2026-09-21 11:20:00 pid 118432 on host rig-2.example.net, python 3.12.5\n"
    "2026-09-21 12:08:34 step 4700 | loss 1.9\n";

TEST(RunTies, TakesPidHostAndWindowFromTheLog) {
  FactStore facts;
  Read(formats::text_log, "logs/lm.log", kLog, facts, 1790000000);
  const RunTies ties = DeriveRunTies(FactView(facts), "/home/ana/lm");
  ASSERT_EQ(ties.pids.size(), 1U);
  EXPECT_EQ(ties.pids[0].value, "118432");
  EXPECT_EQ(ties.pids[0].said, "logs/lm.log:1");
  ASSERT_EQ(ties.hosts.size(), 1U);
  EXPECT_EQ(ties.hosts[0].value, "rig-2");
  ASSERT_TRUE(ties.local_window.has_value());
  EXPECT_EQ(ties.local_window->last - ties.local_window->first, 48 * 60.0 + 34);
  ASSERT_TRUE(ties.window.has_value());
  EXPECT_EQ(ties.window->last, 1790000000.0);
  EXPECT_EQ(ties.window->first, 1790000000.0 - (48 * 60 + 34));
  EXPECT_TRUE(HostAgrees(ties, "RIG-2"));
  EXPECT_FALSE(HostAgrees(ties, "rig-3"));
}

TEST(RunTies, TakesWorkersAndJobs) {
  FactStore facts;
  Read(formats::text_log, "slurm-123456.out", "RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed. \n",
       facts);
  const RunTies ties = DeriveRunTies(FactView(facts), "");
  EXPECT_NE(FindTie(ties.pids, "4242"), nullptr);
  EXPECT_NE(FindTie(ties.jobs, "123456"), nullptr);
  ASSERT_NE(FindCgroupTie(ties, "/slurm/uid_0/job_123456/step_0/task_0"), nullptr);
  EXPECT_EQ(FindCgroupTie(ties, "/slurm/uid_0/job_1234567/step_0"), nullptr);
  EXPECT_EQ(FindCgroupTie(ties, "/"), nullptr);
}

// A kernel log whose damage keeps it from being taken for one.
TEST(RunTies, TheKernelsLineIsNotTheRunsOwnWord) {
  FactStore facts;
  Read(formats::text_log, "logs/dmesg.txt", Kill("[Thu Jun 25 10:21:33 2026]", "44102"), facts);
  ASSERT_NE(Hit(facts, "kernel-oom-memcg", "44102"), nullptr);
  EXPECT_TRUE(DeriveRunTies(FactView(facts), "").pids.empty());
}

TEST(RunTies, ALogNamedByANumberNamesNoJob) {
  FactStore facts;
  Read(formats::text_log, "logs/7.log", "step 1\n", facts);
  Read(formats::text_log, "logs/slurm-8.out", "step 1\n", facts);
  const RunTies ties = DeriveRunTies(FactView(facts), "");
  EXPECT_EQ(FindTie(ties.jobs, "7"), nullptr);
  EXPECT_NE(FindTie(ties.jobs, "8"), nullptr);
}

TEST(RunTies, OneOfTwoKillsInTheSameSecondIsTheRuns) {
  FactStore facts;
  Read(formats::text_log, "logs/lm.log", kLog, facts);
  Read(formats::dmesg_text, "logs/dmesg.txt",
       Kill("[Mon Sep 21 12:08:44 2026]", "118432") + Kill("[Mon Sep 21 12:08:44 2026]", "118433"), facts);
  TieSavedEvidence(DeriveRunTies(FactView(facts), ""), facts);
  EXPECT_EQ(Hit(facts, "kernel-oom-memcg", "118432")->belongs_because,
            "process 118432 of the line is named in logs/lm.log:1, and its time lies within the run's");
  EXPECT_EQ(Hit(facts, "kernel-oom-memcg", "118433")->belongs_because, "");
}

TEST(RunTies, ThePidOfTheRunAtAnotherTimeIsAnotherProcess) {
  FactStore facts;
  Read(formats::text_log, "logs/lm.log", kLog, facts);
  Read(formats::dmesg_text, "logs/dmesg.txt", Kill("[Mon Sep 21 06:08:44 2026]", "118432"), facts);
  TieSavedEvidence(DeriveRunTies(FactView(facts), ""), facts);
  EXPECT_EQ(Hit(facts, "kernel-oom-memcg", "118432")->belongs_because, "");
}

TEST(RunTies, AKernelLogOfAnotherHostIsNoEvidence) {
  FactStore facts;
  Read(formats::text_log, "logs/lm.log", kLog, facts);
  Read(formats::dmesg_text, "logs/journal.txt", Kill("2026-09-21T12:08:44 rig-9 kernel:", "118432"), facts);
  TieSavedEvidence(DeriveRunTies(FactView(facts), ""), facts);
  ASSERT_NE(Hit(facts, "kernel-oom-memcg", "118432"), nullptr);
  EXPECT_EQ(Hit(facts, "kernel-oom-memcg", "118432")->belongs_because, "");
}

TEST(RunTies, ALineAboutTheMachineNeedsItsTime) {
  FactStore facts;
  Read(formats::text_log, "logs/lm.log", kLog, facts);
  Read(formats::dmesg_text, "logs/dmesg.txt",
       "[Mon Sep 21 12:08:44 2026] NVRM: Xid (PCI:0000:41:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node "
       "Reboot Required)\n"
       "[Mon Sep 21 19:08:44 2026] nfs: server nas01 not responding, still trying\n",
       facts);
  TieSavedEvidence(DeriveRunTies(FactView(facts), ""), facts);
  int belonging = 0;
  for (const SignatureHit& hit : FactView(facts).All<SignatureHit>()) {
    if (hit.origin != Origin::kKernelLog) continue;
    const bool late = hit.quote.find("nfs:") != std::string::npos;
    EXPECT_EQ(hit.belongs_because.empty(), late) << hit.quote;
    belonging += late ? 0 : 1;
  }
  EXPECT_GE(belonging, 1);
}

TEST(RunTies, RecordsAreTheRunsByTheirJobOrAsTheOnlyOne) {
  FactStore facts;
  Read(formats::text_log, "slurm-88123.out", "step 1 loss 2\n", facts);
  Read(formats::sacct_listing, "sacct.txt",
       "JobID|State|ExitCode\n88123|TIMEOUT|0:0\n88123.batch|CANCELLED|0:15\n99|FAILED|1:0\n", facts);
  Read(formats::sacct_listing, "other.txt", "JobID|State|ExitCode\n7_1|FAILED|1:0\n7_1.batch|FAILED|1:0\n", facts);
  TieSavedEvidence(DeriveRunTies(FactView(facts), ""), facts);
  const auto records = FactView(facts).All<SchedulerRecord>();
  ASSERT_EQ(records.size(), 5U);
  EXPECT_EQ(records[0].belongs_because, "job 88123 is named by slurm-88123.out");
  EXPECT_EQ(records[1].belongs_because, "job 88123 is named by slurm-88123.out");
  EXPECT_EQ(records[2].belongs_because, "");
  EXPECT_EQ(records[4].belongs_because, "");  // the run's own log names another job
}

TEST(RunTies, TheOnlyJobOfAListingIsTheRunsWhereNothingNamesAnother) {
  FactStore facts;
  Read(formats::text_log, "train.log", "step 1 loss 2\n", facts);
  Read(formats::sacct_listing, "other.txt", "JobID|State|ExitCode\n7_1|FAILED|1:0\n7_1.batch|FAILED|1:0\n", facts);
  TieSavedEvidence(DeriveRunTies(FactView(facts), ""), facts);
  for (const SchedulerRecord& record : FactView(facts).All<SchedulerRecord>()) {
    EXPECT_EQ(record.belongs_because, "it is the only job of other.txt, which was saved beside the run");
  }
}

TEST(RunTies, TheOnlyJobOfACutListingIsNobodys) {
  const auto tied = [](std::string_view listing) {
    FactStore facts;
    Read(formats::text_log, "logs/train.log", "step 1 loss 2\n", facts);
    Read(formats::sacct_listing, "pods.txt", listing, facts);
    TieSavedEvidence(DeriveRunTies(FactView(facts), ""), facts);
    const auto records = FactView(facts).All<SchedulerRecord>();
    EXPECT_EQ(records.size(), 1U);
    return std::any_of(records.begin(), records.end(), [](const SchedulerRecord& r) { return BelongsToRun(r); });
  };
  const std::string head = "$ kubectl get pods\nNAME            READY   STATUS      RESTARTS   AGE\n";
  const std::string killed = "features-4-abc  0/1     OOMKilled   2          2d\n";
  EXPECT_TRUE(tied(head + killed));
  EXPECT_FALSE(tied(head + killed + "train-7-qq81z   0/1     Comp"));  // the run's own row may be the one that is lost
}

TEST(RunTies, APodIsTheRunsByTheNameOfItsLog) {
  FactStore facts;
  Read(formats::text_log, "logs/recsys-train-7-lx2qd.log", "step 1\n", facts);
  Read(formats::kubectl_describe, "kubectl-describe.txt", testing::Fixture("kubectl/describe.txt"), facts);
  TieSavedEvidence(DeriveRunTies(FactView(facts), ""), facts);
  for (const SchedulerRecord& record : FactView(facts).All<SchedulerRecord>()) {
    EXPECT_EQ(record.belongs_because, "job recsys-train-7-lx2qd is named by logs/recsys-train-7-lx2qd.log");
  }
}

// "slurm-5512_3.out" is member 3: what became of the others is not this run's.
TEST(RunTies, AnotherMemberOfTheArray) {
  FactStore facts;
  Read(formats::text_log, "slurm-5512_3.out", "step 1 loss 2\n", facts);
  const SourceId listing = facts.AddSource({.path = "sacct.txt"});
  for (const std::string_view job : {"5512_1", "5512_1.batch", "5512_3", "5512_3.batch", "5512_31", "5512_[4-9]", "5512"})
    facts.Add(SchedulerRecord{.job = std::string(job), .state = "TIMEOUT", .cite = {.source = listing, .begin = 0, .end = 9}});
  TieSavedEvidence(DeriveRunTies(FactView(facts), ""), facts);
  std::string tied;
  for (const SchedulerRecord& record : FactView(facts).All<SchedulerRecord>()) {
    if (BelongsToRun(record)) tied += record.job + " ";
  }
  EXPECT_EQ(tied, "5512_3 5512_3.batch 5512_[4-9] 5512 ");
}

}  // namespace
}  // namespace assay
