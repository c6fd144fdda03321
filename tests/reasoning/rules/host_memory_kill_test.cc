// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;
using testing::ReadLogText;

constexpr std::string_view kRule = "host-memory-kill";

struct KernelLine {
  std::string_view signature;
  std::vector<std::pair<std::string, std::string>> captures;
  std::optional<Time> time;
  std::string because;
};

// A run's log and, in a second source, lines of a kernel log.
FactStore Store(std::string_view log, std::vector<KernelLine> lines) {
  FactStore facts = ReadLogText(log);
  const SourceId source = facts.AddSource({.path = "dmesg.txt", .format = "dmesg-text", .size = 1000});
  std::uint64_t at = 0;
  for (KernelLine& line : lines) {
    facts.Add(SignatureHit{.signature = knowledge::FindSignature(line.signature),
                           .cite = {.source = source, .begin = at, .end = at + 10, .line = at / 10 + 1},
                           .captures = std::move(line.captures),
                           .origin = Origin::kKernelLog,
                           .time = line.time,
                           .belongs_because = std::move(line.because)});
    at += 10;
  }
  return facts;
}

constexpr std::string_view kLog =
    "2026-06-25 12:30:00 step 10 loss 2.3\n2026-06-25 12:31:00 step 20 loss 2.2\n2026-06-25 12:32:00 step 30 loss 2.1\n";
const Time kEnd{.seconds = 1782390720, .zoned = false};  // 2026-06-25 12:32:00
std::vector<std::pair<std::string, std::string>> Victim(std::string pid, std::string command, std::string rss) {
  return {{"pid", std::move(pid)}, {"command", std::move(command)}, {"anon_rss_size", std::move(rss)}};
}

TEST(HostMemoryKill, ATiedKillInsideALimit) {
  const FactStore facts =
      Store(kLog, {{"kernel-oom-memcg", Victim("4120", "python3", "16102332kB"), kEnd, "pid 4120 is named in train.log:3"}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "oom-kill-own oom-kill-cgroup");
}

TEST(HostMemoryKill, APidOfTheRunsOwnOutputTiesIt) {
  const FactStore facts = Store(std::string(kLog) + "RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed. \n",
                                {{"kernel-oom-memcg", Victim("4242", "pt_data_worker", "6102332kB"), std::nullopt, ""}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "oom-kill-own oom-kill-cgroup");
}

TEST(HostMemoryKill, ThePidOfAnotherDayIsAnotherProcess) {
  const Time before{.seconds = kEnd.seconds - 5 * 3600, .zoned = false};
  const FactStore facts = Store(std::string(kLog) + "RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed. \n",
                                {{"kernel-oom-memcg", Victim("4242", "pt_data_worker", "6102332kB"), before, ""}});
  const Findings findings = Conclude(kRule, facts);
  EXPECT_EQ(Ids(findings, kRule), "");
  EXPECT_TRUE(IsNotChecked(findings, "oom-kill-own"));
}

TEST(HostMemoryKill, AKillOfAnotherHoursBefore) {
  const Time before{.seconds = kEnd.seconds - 7200, .zoned = false};
  const FactStore facts = Store(std::string(kLog) + "./run.sh: line 10: 51877 Killed                  python -u train.py\n",
                                {{"kernel-oom-memcg", Victim("44102", "python", "16512880kB"), before, ""}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

TEST(HostMemoryKill, ATwinKilledInTheSameSecondIsNotTheRun) {
  const FactStore facts = Store(std::string(kLog) + "./run.sh: line 10: 51877 Killed                  python -u train.py\n",
                                {{"kernel-oom-memcg", Victim("51990", "python", "16512880kB"), kEnd, ""}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

// A copy of the kernel's log whose clocks are damaged is taken for a log; the numbers in it are not the run's for that.
TEST(HostMemoryKill, ACopyOfTheNodesLogNamesNoProcessOfTheRun) {
  FactStore facts = ReadLogText(kLog);
  FactStore copy = ReadLogText(
      "[Thu Jun 25 10*21:33 2026] oom-kill:constraint=,task=python,pid=44102,uid=1013\n"
      "[Thu Jun 25 10:21:33 2026] Memory cgroup out of memory: Killed process 44102 (python) total-vm:33110204kB, "
      "anon-rss:16512880kB, file-rss:91204kB, shmem-rss:0kB, UID:1013 pgtables:38212kB oom_score_adj:0\n");
  const SourceId source = facts.AddSource(copy.source(SourceId{0}));
  for (SignatureHit hit : FactView(copy).All<SignatureHit>()) {
    hit.cite.source = source;
    facts.Add(std::move(hit));
  }
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

TEST(HostMemoryKill, AnUntiedKillAtTheEndIsOnlyNear) {
  const Time soon{.seconds = kEnd.seconds + 4, .zoned = false};
  const FactStore facts = Store(kLog, {{"kernel-oom-global", Victim("51990", "python", "16512880kB"), soon, ""}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "oom-kill-near");
  const FactStore other = Store(kLog, {{"kernel-oom-global", Victim("51990", "mysqld", "16512880kB"), soon, ""}});
  EXPECT_EQ(Ids(Conclude(kRule, other), kRule), "");
  const FactStore zoned =
      Store(kLog, {{"kernel-oom-global", Victim("51990", "python", "16512880kB"), Time{soon.seconds, true}, ""}});
  EXPECT_EQ(Ids(Conclude(kRule, zoned), kRule), "");
}

// A log without a zone is compared with a live kernel by the time of its file, and by few seconds only.
TEST(HostMemoryKill, ALiveKillIsNearTheTimeOfTheLogsFile) {
  const auto live = [](std::string_view command, double seconds_after) {
    constexpr double kWritten = 1782390731;
    FactStore facts = ReadLogText(kLog);
    facts.source(SourceId{0}).modified = kWritten;
    const SourceId kernel = facts.AddSource({.path = "/dev/kmsg", .kind = SourceKind::kReading, .size = 1000});
    facts.Add(SignatureHit{.signature = knowledge::FindSignature("kernel-oom-memcg"),
                           .cite = {.source = kernel, .end = 10, .line = 1},
                           .captures = Victim("51990", std::string(command), "16512880kB"),
                           .origin = Origin::kKernelLog,
                           .time = Time{.seconds = kWritten + seconds_after, .zoned = true}});
    return Ids(Conclude(kRule, facts), kRule);
  };
  EXPECT_EQ(live("python3", -1), "oom-kill-near");
  EXPECT_EQ(live("python3", -40), "");
  EXPECT_EQ(live("python3", 40), "");
  EXPECT_EQ(live("mysqld", -1), "");
}

TEST(HostMemoryKill, AKillAtTheEndOfARunThatFinished) {
  const Time soon{.seconds = kEnd.seconds + 4, .zoned = false};
  const FactStore facts = Store(std::string(kLog) + "2026-06-25 12:32:00 `Trainer.fit` stopped: `max_epochs=15` reached.\n",
                                {{"kernel-oom-global", Victim("51990", "python", "16512880kB"), soon, ""}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

TEST(HostMemoryKill, TheCgroupOfTheOwnJobTiesIt) {
  const FactStore facts = Store(
      "slurmstepd: error: Detected 1 oom-kill event(s) in step 77120.0 cgroup. Some of your processes may have been killed.\n",
      {{"kernel-oom-constraint-memcg", {{"pid", "30112"}, {"path", "/slurm/uid_4410/job_77120"}}, std::nullopt, ""}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "oom-kill-own oom-kill-cgroup");
  const FactStore other = Store(
      "slurmstepd: error: Detected 1 oom-kill event(s) in step 77121.0 cgroup. Some of your processes may have been killed.\n",
      {{"kernel-oom-constraint-memcg", {{"pid", "30112"}, {"path", "/slurm/uid_4410/job_77120"}}, std::nullopt, ""}});
  EXPECT_EQ(Ids(Conclude(kRule, other), kRule), "");
}

TEST(HostMemoryKill, AGlobalKillOfALargeRun) {
  const FactStore facts =
      Store(kLog, {{"kernel-ram-pages", {{"page_count", "16777114"}}, kEnd, ""},
                   {"kernel-oom-global", Victim("4120", "python3", "60102332kB"), kEnd, "pid 4120 is named in train.log:3"}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "oom-kill-own global-oom own-share-large");
}

TEST(HostMemoryKill, AGlobalKillOfASmallRunLeavesTheShareOpen) {
  const FactStore facts =
      Store(kLog, {{"kernel-ram-pages", {{"page_count", "16777114"}}, kEnd, ""},
                   {"kernel-oom-global", Victim("4120", "python3", "2102332kB"), kEnd, "pid 4120 is named in train.log:3"}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "oom-kill-own global-oom");
}

TEST(HostMemoryKill, KernelLinesInsideTheRunsOwnLogNeedATieToo) {
  const FactStore facts =
      ReadLogText(std::string(kLog) +
                  "$ dmesg | tail -1\n[90112.334455] Out of memory: Killed process 41220 (python3) total-vm:301220044kB, "
                  "anon-rss:121004332kB, file-rss:72kB, shmem-rss:4194304kB, UID:5012 pgtables:240112kB oom_score_adj:0\n");
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

// A kernel log whose damage keeps it from being taken for one: its "pid=44102" is not the run's word.
TEST(HostMemoryKill, TheKernelsPidIsNotTheRunsOwn) {
  const FactStore facts = ReadLogText(
      std::string(kLog) +
      "[Thu Jun 25 10:21:33 2026] "
      "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/user.slice/a,"
      "task_memcg=/user.slice/a,task=python,pid=44102,uid=1013\n"
      "[Thu Jun 25 10:21:33 2026] Memory cgroup out of memory: Killed process 44102 (python) total-vm:1kB, anon-rss:16512880kB, "
      "file-rss:1kB, shmem-rss:0kB\n");
  EXPECT_FALSE(Conclude("host-memory-kill", facts).Has("oom-kill-own"));
}

TEST(HostMemoryKill, TheCounterOfTheOwnCgroup) {
  FactStore facts = ReadLogText(kLog);
  const SourceId source = facts.AddSource({.path = "memory.events", .kind = SourceKind::kReading});
  facts.Add(Reading{.name = "cgroup.memory.oom_kill",
                    .value = 2,
                    .belongs_because = "its cgroup is that of the run",
                    .cite = {.source = source, .end = 10}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "oom-kill-own oom-kill-cgroup");
  FactStore zero = ReadLogText(kLog);
  zero.AddSource({.path = "memory.events", .kind = SourceKind::kReading});
  zero.Add(Reading{.name = "cgroup.memory.oom_kill",
                   .value = 0,
                   .belongs_because = "its cgroup is that of the run",
                   .cite = {.source = SourceId{1}, .end = 10}});
  EXPECT_EQ(Ids(Conclude(kRule, zero), kRule), "");
}

TEST(HostMemoryKill, ANumberThatIsUsedAgainIsAnotherProcess) {
  // Twenty-five minutes after the last line, and no clock at all: the number alone ties nothing.
  const std::string log = "2026-06-25 12:29:00 pid 4120 start\n" + std::string(kLog) + "Terminated\n";
  const Time later{.seconds = kEnd.seconds + 1500, .zoned = false};
  EXPECT_EQ(Ids(Conclude(kRule, Store(log, {{"kernel-oom-memcg", Victim("4120", "python3", "16102332kB"), later, ""}})), kRule),
            "");
  EXPECT_EQ(
      Ids(Conclude(kRule, Store(log, {{"kernel-oom-memcg", Victim("4120", "python3", "16102332kB"), std::nullopt, ""}})), kRule),
      "");
}

TEST(HostMemoryKill, AKillThatTheTrainingOutlivedIsNotItsEnd) {
  const Time early{.seconds = kEnd.seconds - 100, .zoned = false};
  const FactStore facts =
      Store(kLog, {{"kernel-oom-memcg", Victim("4120", "python3", "16102332kB"), early, "process 4120 of the line"}});
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

}  // namespace
}  // namespace assay
