// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;

constexpr std::string_view kRule = "job-memory";
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

FactStore Named(std::string_view path, std::string_view text = "step 1 loss 2.0\n") {
  FactStore facts = testing::ReadLogText(text);
  facts.source(SourceId{0}).path = std::string(path);
  facts.AddSource({.path = "record.txt", .size = 1000});
  return facts;
}
SchedulerRecord Record(std::string job, std::string state) {
  return {.job = std::move(job), .state = std::move(state), .cite = {.source = SourceId{1}, .begin = 0, .end = 20, .line = 1}};
}

TEST(JobMemory, AStepOfTheJobThatTheLogIsNamedAfter) {
  FactStore facts = Named("slurm-44102.out");
  facts.Add(Record("44102.batch", "OUT_OF_MEMORY"));
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "sched-oom");
}

TEST(JobMemory, AnotherJobOfTheSameListing) {
  FactStore facts = Named("slurm-44102.out");
  facts.Add(Record("44101.batch", "OUT_OF_MEMORY"));
  facts.Add(Record("44102.batch", "FAILED"));
  const Findings findings = Conclude(kRule, facts);
  EXPECT_EQ(Ids(findings, kRule), "");
  EXPECT_TRUE(IsNotChecked(findings, "sched-oom"));
}

TEST(JobMemory, NumbersAreNotTakenApart) {
  FactStore facts = Named("slurm-144102.out");
  facts.Add(Record("44102", "OUT_OF_MEMORY"));
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

TEST(JobMemory, ThePodThatWroteTheLog) {
  FactStore facts = Named("logs/recsys-train-7-lx2qd.log");
  SchedulerRecord record = Record("recsys-train-7-lx2qd/trainer", "OOMKilled");
  record.requested_memory = 64 * kGiB;
  facts.Add(std::move(record));
  const Findings findings = Conclude(kRule, facts);
  EXPECT_EQ(Ids(findings, kRule), "sched-oom");
  EXPECT_NE(findings.Find("sched-oom")->statement.find("64"), std::string::npos);
}

TEST(JobMemory, AnEarlierRestartOfThePodIsHistory) {
  FactStore facts = Named("trainer-0.log", "2026-03-30T06:12:00.5Z step 1 loss 2.0\n2026-03-30T06:13:00.5Z step 2 loss 2.0\n");
  SchedulerRecord record = Record("trainer-0/main", "OOMKilled");
  facts.Add(Reading{.name = "scheduler.trainer-0/main.end",
                    .unit = "seconds",
                    .time = Time{.seconds = 1774850000, .zoned = true},
                    .cite = record.cite});
  facts.Add(std::move(record));
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

TEST(JobMemory, PeakNearTheLimitAndCompleted) {
  FactStore facts = Named("slurm-44102.out");
  SchedulerRecord record = Record("44102.batch", "COMPLETED");
  record.requested_memory = 32 * kGiB;
  record.peak_memory = 31 * kGiB;
  facts.Add(std::move(record));
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "host-mem-near-limit");
}

TEST(JobMemory, SlurmsLineInTheRunsOwnLog) {
  EXPECT_EQ(Ids(testing::ConcludeFromText(
                    kRule,
                    "step 1 loss 2.0\nslurmstepd: error: Detected 1 oom-kill event(s) in step 123456.batch cgroup. Some of "
                    "your processes may have been killed by the cgroup out-of-memory handler.\n"),
                kRule),
            "sched-oom");
}

// A listing or a log of the node beside the run's own log.
FactStore WithNodeLog(std::string_view line) {
  FactStore facts = Named("slurm-44102.out");
  const FactStore other = testing::ReadLogText(line);
  for (SignatureHit hit : FactView(other).All<SignatureHit>()) {
    hit.cite.source = SourceId{1};
    facts.Add(std::move(hit));
  }
  facts.Add(LogShape{.source = SourceId{1}});
  return facts;
}

TEST(JobMemory, TheLogOfTheNodeNamesMany) {
  constexpr std::string_view kOwn =
      "[2026-03-03T10:10:41.220] error: Detected 1 oom_kill event in StepId=44102.0. Some of the step tasks have been "
      "OOM Killed.\n";
  constexpr std::string_view kOther =
      "[2026-03-03T10:10:41.220] error: Detected 1 oom_kill event in StepId=44103.0. Some of the step tasks have "
      "been OOM Killed.\n";
  EXPECT_EQ(Ids(Conclude(kRule, WithNodeLog(kOwn)), kRule), "sched-oom");
  const Findings findings = Conclude(kRule, WithNodeLog(kOther));
  EXPECT_EQ(Ids(findings, kRule), "");
  EXPECT_TRUE(IsNotChecked(findings, "sched-oom"));
}

TEST(JobMemory, AListingOfPods) {
  EXPECT_EQ(Ids(Conclude(kRule, WithNodeLog("llm-sft-worker-3   0/1     OOMKilled   2 (41s ago)   7m\n")), kRule), "");
}

TEST(JobMemory, AListingOfPodsThatIsTheOnlyLogNamesNobody) {
  const FactStore facts =
      testing::ReadLogText("NAME  REDY  STATUS  RESTARTS  AGE\nscraper-6c9d7f5b9-x2x7q   0/1     OOMKilled   4 (11m ago)   5h\n");
  const Findings findings = Conclude(kRule, facts);
  EXPECT_EQ(Ids(findings, kRule), "");
  EXPECT_TRUE(IsNotChecked(findings, "sched-oom"));
}

TEST(JobMemory, ARecordThatOnlyLiesBesideARunThatFinished) {
  const auto with = [](std::string_view log, std::string_view job) {
    FactStore facts = Named("ranker.log", log);
    SchedulerRecord record = Record(std::string(job), "OOMKilled");
    record.belongs_because = "it is the only job of record.txt, which was saved beside the run";
    facts.Add(record);
    return Ids(Conclude(kRule, facts), kRule);
  };
  EXPECT_EQ(with("step 1 loss 2.0\n", "scraper-0"), "oom-kill-near");  // its place is no proof
  EXPECT_EQ(with("step 1 loss 2.0\nTraining finished.\n", "scraper-0"), "");
  EXPECT_EQ(with("step 1 loss 2.0\nTraining finished.\n", "ranker"), "sched-oom");
}

TEST(JobMemory, ATouchedLimitIsNoKill) {
  EXPECT_EQ(Ids(testing::ConcludeFromText(kRule, "slurmstepd: error: Exceeded step memory limit at some point.\n"), kRule),
            "host-mem-near-limit");
}

TEST(JobMemory, AnEvictionForMemory) {
  FactStore facts = Named("trainer-0.log");
  SchedulerRecord record = Record("trainer-0", "Evicted");
  record.reason = "The node was low on resource: memory. Container main was using 61220Mi";
  facts.Add(record);
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "host-oom");
  FactStore disk = Named("trainer-0.log");
  record.reason = "The node was low on resource: ephemeral-storage.";
  disk.Add(record);
  EXPECT_EQ(Ids(Conclude(kRule, disk), kRule), "");
}

TEST(JobMemory, AHalfUsedLimitSaysNothing) {
  FactStore facts = Named("slurm-44102.out");
  SchedulerRecord record = Record("44102.batch", "FAILED");
  record.requested_memory = 32 * kGiB;
  record.peak_memory = 15 * kGiB;
  facts.Add(std::move(record));
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

constexpr std::string_view kRefused =
    "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 41.2 GiB for an array with shape (73500, 75264) and data type "
    "float64\n";

void Ask(FactStore& facts, std::string key, std::string value) {
  facts.Add(ConfigValue{.key = "SBATCH." + std::move(key),
                        .value = std::move(value),
                        .origin = ConfigValue::Origin::kJobScript,
                        .cite = {.source = SourceId{1}, .begin = 0, .end = 20, .line = 2}});
}

TEST(JobMemory, OneRequestBeyondMemoryPerCpu) {
  FactStore facts = Named("slurm-44102.out", kRefused);
  Ask(facts, "mem-per-cpu", "4G");
  Ask(facts, "cpus-per-task", "2");
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "limit-below-need");
}

TEST(JobMemory, MemoryPerGpuIsHostMemory) {
  FactStore facts = Named("slurm-44102.out", kRefused);
  Ask(facts, "mem-per-gpu", "16000");
  Ask(facts, "gpus-per-node", "2");
  const Findings findings = Conclude(kRule, facts);
  EXPECT_EQ(Ids(findings, kRule), "limit-below-need");
  EXPECT_NE(findings.Find("limit-below-need")->statement.find("host memory"), std::string::npos);
}

TEST(JobMemory, AllOfTheNodeIsNoLimitThatIsKnown) {
  FactStore facts = Named("slurm-44102.out", kRefused);
  Ask(facts, "mem", "0");
  const Findings findings = Conclude(kRule, facts);
  EXPECT_EQ(Ids(findings, kRule), "");
  EXPECT_TRUE(IsNotChecked(findings, "limit-below-need"));
}

TEST(JobMemory, ALimitThatTheRequestFits) {
  FactStore facts = Named("slurm-44102.out", kRefused);
  Ask(facts, "mem", "128G");
  EXPECT_EQ(Ids(Conclude(kRule, facts), kRule), "");
}

constexpr std::string_view kOwnEnd =
    "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n    main()\n  File \"train.py\", line 4, in "
    "main\n    w = weights[name]\nKeyError: 'aux'\n";
constexpr std::string_view kPoolEnd =
    "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n    main()\n  File \"train.py\", line 4, in "
    "main\n    f.result()\nconcurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly "
    "while the future was running or pending.\n";

FactStore BesidePod(std::string_view end, std::string_view container, std::string_view now) {
  FactStore facts = Named("run.log", "step 1 loss 2.0\nstep 2 loss 1.9\n" + std::string(end));
  for (const std::string_view state : {std::string_view("OOMKilled"), now}) {
    if (state.empty()) continue;
    SchedulerRecord record = Record("shop-0/" + std::string(container), std::string(state));
    record.belongs_because = "it is the only job of record.txt";
    facts.Add(std::move(record));
  }
  return facts;
}

TEST(JobMemory, APodThatOnlyLiesBesideTheRun) {
  EXPECT_EQ(Ids(Conclude(kRule, BesidePod("", "main", "")), kRule), "oom-kill-near");
  EXPECT_EQ(Ids(Conclude(kRule, BesidePod(kPoolEnd, "main", "")), kRule), "oom-kill-near");
  const Findings own = Conclude(kRule, BesidePod(kOwnEnd, "main", ""));  // what is killed raises nothing
  EXPECT_EQ(Ids(own, kRule), "");
  EXPECT_TRUE(IsNotChecked(own, "sched-oom"));
  EXPECT_EQ(Ids(Conclude(kRule, BesidePod("", "main", "Running")), kRule), "");
  EXPECT_EQ(Ids(Conclude(kRule, BesidePod("", "main", "CrashLoopBackOff")), kRule),
            "oom-kill-near");  // it waits, and ran no more
}

// A second tie beside the place: both end at one time.
TEST(JobMemory, APodThatEndsWithTheLogIsTheRuns) {
  const auto ended = [](double after_the_log) {
    FactStore facts = Named("run.log", "2026-03-01 07:00:00 step 1 loss 2.0\n2026-03-01 07:30:00 step 2 loss 1.9\n");
    SchedulerRecord record = Record("shop-0/main", "OOMKilled");
    record.belongs_because = "it is the only job of record.txt";
    const Time last = *FactView(facts).All<LogShape>().front().last_time;
    facts.Add(Reading{.name = "scheduler.shop-0/main.end",
                      .time = Time{.seconds = last.seconds + after_the_log, .zoned = last.zoned},
                      .cite = record.cite});
    facts.Add(std::move(record));
    return Ids(Conclude(kRule, facts), kRule);
  };
  EXPECT_EQ(ended(20), "sched-oom");
  EXPECT_EQ(ended(4000), "oom-kill-near");
}

TEST(JobMemory, TheLastTryDecides) {
  const auto with = [](std::string_view state, int status) {
    FactStore facts = Named("shop-0.log");
    facts.Add(Record("shop-0/main", "OOMKilled"));
    SchedulerRecord record = Record("shop-0/main", std::string(state));
    record.exit_code = status;
    facts.Add(std::move(record));
    return Ids(Conclude(kRule, facts), kRule);
  };
  EXPECT_EQ(with("Error", 1), "");
  EXPECT_EQ(with("OOMKilled", 137), "sched-oom");
}

TEST(JobMemory, AnotherContainerOfThePod) {
  const auto with = [](std::string_view log, std::string_view state, std::optional<int> status) {
    FactStore facts = BesidePod("", "shipper", "");
    facts.source(SourceId{0}).path = std::string(log);
    SchedulerRecord record = Record("shop-0/trainer", std::string(state));
    record.exit_code = status;
    record.belongs_because = "it is the only job of record.txt";
    facts.Add(std::move(record));
    return Ids(Conclude(kRule, facts), kRule);
  };
  EXPECT_EQ(with("run.log", "Completed", 0), "oom-kill-near");
  EXPECT_EQ(with("run.log", "Error", 1), "");
  EXPECT_EQ(with("trainer.log", "Completed", 0), "");
}

}  // namespace
}  // namespace assay
