// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/listing_facts.h"
#include "tests/support/probing.h"

namespace assay {
namespace probes {
extern const Probe cgroup;
}
namespace {

using testing::Probed;
using testing::Values;

const Reading* Find(const FactStore& facts, std::string_view name, std::string_view group) {
  for (const Reading& reading : FactView(facts).All<Reading>()) {
    if (reading.name == name && reading.text == group) return &reading;
  }
  return nullptr;
}

TEST(CgroupProbe, ReadsVersion2WithTheGroupsAbove) {
  MemoryFileSystem files;
  files.Add("/sys/fs/cgroup/cgroup.controllers", "cpu memory pids\n");
  files.Add("/proc/4242/cgroup", "0::/kubepods/pod12/main\n");
  files.Add("/proc/self/cgroup", "0::/user.slice\n");
  files.Add("/sys/fs/cgroup/kubepods/pod12/main/memory.events", "low 0\nhigh 0\nmax 51\noom 2\noom_kill 1\noom_group_kill 0\n");
  files.Add("/sys/fs/cgroup/kubepods/pod12/main/memory.max", "max\n");
  files.Add("/sys/fs/cgroup/kubepods/pod12/memory.max", "68719476736\n");
  files.Add("/sys/fs/cgroup/kubepods/pod12/memory.peak", "68719400000\n");
  files.Add("/sys/fs/cgroup/kubepods/pod12/cpu.max", "200000 100000\n");
  files.Add("/sys/fs/cgroup/kubepods/pod12/cpu.stat", "usage_usec 5\nthrottled_usec 2500000\n");
  const RunTies ties{.pids = {{.value = "4242", .said = "train.log:12"}},
                     .cgroups = {{.value = "/kubepods/pod12/main", .said = "process 4242"}}};
  const FactStore facts = Probed(probes::cgroup, files, ties);
  ASSERT_NE(Find(facts, "cgroup.memory.oom_kill", "/kubepods/pod12/main"), nullptr);
  EXPECT_EQ(Find(facts, "cgroup.memory.oom_kill", "/kubepods/pod12/main")->value, 1);
  EXPECT_EQ(Find(facts, "cgroup.memory.oom_kill", "/kubepods/pod12/main")->belongs_because,
            "it is the control group of /kubepods/pod12/main, which process 4242 names");
  EXPECT_TRUE(std::isinf(Find(facts, "cgroup.memory.max", "/kubepods/pod12/main")->value));
  EXPECT_EQ(Find(facts, "cgroup.memory.max", "/kubepods/pod12")->value, 68719476736.0);
  EXPECT_EQ(Find(facts, "cgroup.memory.max", "/kubepods/pod12")->belongs_because, "");  // others may live there too
  EXPECT_EQ(Find(facts, "cgroup.cpu.limit", "/kubepods/pod12")->value, 2);
  EXPECT_EQ(Find(facts, "cgroup.cpu.throttled", "/kubepods/pod12")->value, 2.5);
}

TEST(CgroupProbe, ReadsVersion1AndFindsTheJob) {
  MemoryFileSystem files;
  const std::string job = "/sys/fs/cgroup/memory/slurm/uid_1000/job_77120";
  files.Add(job + "/memory.limit_in_bytes", "25165824\n");
  files.Add(job + "/memory.max_usage_in_bytes", "25165824\n");
  files.Add(job + "/memory.failcnt", "111\n");
  files.Add(job + "/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  files.Add("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const RunTies ties{.jobs = {{.value = "77120", .said = "slurm-77120.out"}}};
  const FactStore facts = Probed(probes::cgroup, files, ties);
  const Reading* kills = Find(facts, "cgroup.memory.oom_kill", "/slurm/uid_1000/job_77120");
  ASSERT_NE(kills, nullptr);
  EXPECT_EQ(kills->value, 1);
  EXPECT_EQ(kills->belongs_because, "it is the control group of 77120, which slurm-77120.out names");
  EXPECT_EQ(Find(facts, "cgroup.memory.failures", "/slurm/uid_1000/job_77120")->value, 111);
  EXPECT_TRUE(std::isinf(Find(facts, "cgroup.memory.max", "/")->value));
  EXPECT_EQ(Find(facts, "cgroup.memory.max", "/")->belongs_because, "");
}

TEST(CgroupProbe, SaysWhenThereAreNone) {
  const FactStore facts = Probed(probes::cgroup, MemoryFileSystem());
  ASSERT_EQ(FactView(facts).not_checked().size(), 1U);
}

TEST(CgroupProbe, BearsAnyText) {
  const std::string_view text =
      "== /a\nmemory.max: nan\nmemory.max: -1\ncpu.max: 1\ncpu.max: x y\ncpu.cfs_quota_us: 5\ncpu.cfs_period_us: "
      "0\nmemory.events: oom_kill 1e999\n:\n: \n\xff";
  for (std::size_t length = 0; length <= text.size(); ++length) testing::Understood(probes::cgroup, text.substr(0, length));
}

}  // namespace
}  // namespace assay
