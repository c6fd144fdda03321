// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/support/listing_facts.h"
#include "tests/support/probing.h"

namespace assay {
namespace probes {
extern const Probe processes;
}
namespace {

using testing::Probed;
using testing::Understood;

constexpr double kBoot = 1780000000;

// /proc with links, which the plain in-memory twin has none of.
class Machine : public MemoryFileSystem {
 public:
  Machine() { Add("/proc/stat", "cpu 1\nbtime 1780000000\n"); }
  void Process(const std::string& pid, const std::string& name, char state, double started, const std::string& command,
               const std::string& directory) {
    const std::string folder = "/proc/" + pid;
    Add(folder + "/stat", pid + " (" + name + ") " + state + " 1 1 1 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 " +
                              std::to_string(static_cast<long>((started - kBoot) * 100)) + " 1000 100 0 0\n");
    Add(folder + "/cmdline", command);
    Add(folder + "/cgroup", "12:memory:/slurm/job_7\n0::/\n");
    Add(folder + "/status", "Name:\tpython\nVmRSS:\t    2048 kB\nThreads:\t9\n");
    Add(folder + "/limits",
        "Max processes             unlimited            unlimited            processes\n"
        "Max open files            1024                 4096                 files     \n");
    Add(folder + "/wchan", "nfs_wait_bit_killable");
    links_[folder + "/cwd"] = directory;
  }
  void Holds(const std::string& pid, const std::string& number, const std::string& target) {
    Add("/proc/" + pid + "/fd/" + number, "");
    links_["/proc/" + pid + "/fd/" + number] = target;
  }
  Result<std::string> ReadLink(const std::string& path) const override {
    const auto it = links_.find(path);
    if (it == links_.end()) return MemoryFileSystem::ReadLink(path);
    return it->second;
  }

 private:
  std::map<std::string, std::string> links_;
};

RunTies TheRun() {
  return {.project = "/home/noor/lm",
          .pids = {{.value = "4242", .said = "train.log:12"}},
          .window = RunWindow{kBoot + 1000, kBoot + 5000}};
}

const ProcessSeen* Find(const FactStore& facts, std::int64_t pid) {
  for (const ProcessSeen& process : FactView(facts).All<ProcessSeen>()) {
    if (process.pid == pid) return &process;
  }
  return nullptr;
}

const std::string kTrain("python\0train.py\0", 16);

TEST(ProcessesProbe, TellsTheRunsProcessesFromOthers) {
  Machine machine;
  machine.Process("4242", "pt_data_worker", 'S', kBoot + 1010, kTrain, "/");
  machine.Process("4300", "python", 'R', kBoot + 1005, kTrain, "/home/noor/lm/src");
  machine.Process("5000", "python", 'R', kBoot + 3000, kTrain, "/home/noor/lm");
  machine.Process("5001", "python", 'R', kBoot + 6000, kTrain, "/home/noor/lm");
  machine.Process("6000", "python", 'R', kBoot + 2000, kTrain, "/home/eve/lm");
  machine.Process("7000", "bash", 'S', kBoot + 2000, "bash", "/home/eve");
  machine.Holds("5000", "3", "/home/noor/lm/logs/train.log");
  machine.Holds("5001", "3", "/home/noor/lm/logs/train2.log");
  const FactStore facts = Probed(probes::processes, machine, TheRun());
  for (const std::int64_t pid : {4242, 4300, 5000, 5001, 6000}) ASSERT_NE(Find(facts, pid), nullptr) << pid;
  EXPECT_EQ(Find(facts, 4242)->belongs_because, "process 4242 is named in train.log:12 and was started before that");
  EXPECT_EQ(Find(facts, 4300)->belongs_because, "it works in the run's project and was started with the run");
  EXPECT_EQ(Find(facts, 5000)->belongs_because, "it holds /home/noor/lm/logs/train.log open");
  EXPECT_EQ(Find(facts, 5001)->belongs_because, "");  // started when the run was over: another one of the same project
  EXPECT_EQ(Find(facts, 6000)->belongs_because, "");
  EXPECT_EQ(Find(facts, 7000), nullptr);
  EXPECT_EQ(Find(facts, 4242)->cgroup, "/slurm/job_7");
  EXPECT_EQ(Find(facts, 4242)->started, kBoot + 1010);
  EXPECT_EQ(Find(facts, 4242)->command, "python train.py");
  EXPECT_EQ(testing::Value(facts, "process.4242.rss"), 2048.0 * 1024);
  EXPECT_EQ(testing::Value(facts, "process.5000.limit.open_files"), 1024);
  EXPECT_TRUE(std::isinf(testing::Value(facts, "process.5000.limit.processes")));
  EXPECT_EQ(testing::Value(facts, "process.5000.open_files"), 1);
}

TEST(ProcessesProbe, SeesZombiesAndWhatAWaitingProcessWaitsFor) {
  Machine machine;
  machine.Process("10", "python (x) y", 'Z', kBoot + 1000, "", "");
  machine.Process("11", "python", 'D', kBoot + 1000, "python", "");
  const FactStore facts = Probed(probes::processes, machine, TheRun());
  ASSERT_NE(Find(facts, 10), nullptr);
  EXPECT_EQ(Find(facts, 10)->state, 'Z');
  EXPECT_EQ(Find(facts, 10)->name, "python (x) y");
  EXPECT_EQ(Find(facts, 11)->state, 'D');
  EXPECT_EQ(testing::TextOf(facts, "process.11.wait_channel"), "nfs_wait_bit_killable");
}

TEST(ProcessesProbe, ReadsNoSecretOut) {
  Machine machine;
  machine.Process("10", "python", 'R', kBoot, std::string("python\0train.py\0--wandb_api_key\0abcdef0123456789\0", 49), "/");
  machine.Add("/proc/10/environ", "WANDB_API_KEY=abcdef0123456789");
  const FactStore facts = Probed(probes::processes, machine, TheRun());
  ASSERT_NE(Find(facts, 10), nullptr);
  EXPECT_EQ(Find(facts, 10)->command.find("abcdef"), std::string::npos);
  for (const Source& source : FactView(facts).sources()) EXPECT_EQ(source.captured.find("abcdef"), std::string::npos);
}

TEST(ProcessesProbe, SaysWhenProcIsNotThere) {
  const FactStore facts = Probed(probes::processes, MemoryFileSystem(), TheRun());
  ASSERT_EQ(FactView(facts).not_checked().size(), 1U);
  EXPECT_EQ(FactView(facts).not_checked()[0].what, "processes");
}

TEST(ProcessesProbe, BearsAnyText) {
  for (const std::string_view text :
       {"", "{", "[]", "{}\n{}", "{\"pid\": \"x\"}\n", "{\"pid\": 1, \"state\": 7}\n", "{\"pid\":1e999}\n", "null\n\xff\n"}) {
    Understood(probes::processes, text, TheRun());
  }
}

}  // namespace
}  // namespace assay
