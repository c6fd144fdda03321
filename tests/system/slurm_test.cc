// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "base/text.h"
#include "evidence/formats/format.h"
#include "evidence/logs/log_reader.h"
#include "evidence/probing/run_probes.h"
#include "platform/process.h"

// A real Slurm cluster on this machine (tests/support/slurm-up.sh): a job past its time limit, a cancelled one and one out of
// memory, each read from its log and from the scheduler, as on a login node after the run is over.

namespace assay {
namespace {

std::string Output(const std::vector<std::string>& command, double deadline = 20) {
  const auto result = RunCommand(command, deadline);
  return result.has_value() && result->exit_status == 0 ? result->output : std::string();
}

class Cluster {
 public:
  Cluster() {
    std::array<char, 32> name{"/tmp/assay-slurm-XXXXXX"};
    if (mkdtemp(name.data()) == nullptr) return;
    folder_ = name.data();
    chmod(folder_.c_str(), 0755);  // munged refuses a socket that not everybody can reach
    const auto up = RunCommand(
        {ASSAY_SOURCE_DIR "/tests/support/slurm-up.sh", "up", "-d", folder_ + "/cluster", "-n", "2", "-p", "27860", "--cgroup"},
        90);
    if (!up.has_value() || up->exit_status != 0) {
      why_not_ = up.has_value() ? "the cluster did not start: " + Printable(up->errors) : up.error().reason;
      return;
    }
    started_ = true;
    setenv("SLURM_CONF", (folder_ + "/cluster/slurm.conf").c_str(), 1);
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster() {
    if (started_)
      (void)RunCommand({ASSAY_SOURCE_DIR "/tests/support/slurm-up.sh", "down", "-d", folder_ + "/cluster"}, 60).has_value();
    unsetenv("SLURM_CONF");
    if (!folder_.empty()) (void)RunCommand({"rm", "-rf", folder_}, 20).has_value();
  }
  const std::string& why_not() const { return why_not_; }

  // The job's id, or empty. Its output goes where Slurm puts it by itself.
  std::string Submit(const std::string& memory, const std::string& command) const {
    return std::string(Trim(Output({"sbatch", "--parsable", "--requeue", "--time=1", "--mem=" + memory, "--chdir=" + folder_,
                                    "--output=" + folder_ + "/slurm-%j.out", "--wrap", "date +%FT%TZ -u; " + command})));
  }

  // What the log and the probes say of one job.
  FactStore Read(const std::string& job) const {
    const RealFileSystem files;
    FactStore facts;
    const std::string path = "slurm-" + job + ".out";
    const auto file = files.Open(folder_ + "/" + path);
    EXPECT_TRUE(file.has_value());
    if (!file.has_value()) return facts;
    const SourceId source = facts.AddSource(
        {.path = path, .format = "text-log", .size = (*file)->size(), .modified = files.Stat(folder_ + "/" + path)->modified});
    const auto text = ReadWholeFile(files, folder_ + "/" + path, 1 << 20);
    const Format* format = formats::Recognise({.path = path, .bytes = std::as_bytes(std::span(*text)), .size = text->size()});
    EXPECT_NE(format, nullptr);
    if (format != nullptr) format->read({.source = source, .path = path, .file = **file, .logs = LogReader::Shared()}, facts);
    RunProbes({.files = files, .project = folder_, .ties = DeriveRunTies(FactView(facts), folder_)}, facts);
    return facts;
  }

 private:
  std::string folder_;
  std::string why_not_ = "no folder can be made in /tmp";
  bool started_ = false;
};

std::string StateOf(const std::string& job) {
  return std::string(Trim(Output({"sacct", "-X", "-n", "-P", "-j", job, "--format=State"})));
}

bool WaitForEnd(const std::string& job, int seconds) {
  for (int i = 0; i < seconds * 2; ++i) {
    const std::string state = StateOf(job);
    if (!state.empty() && state != "PENDING" && state != "RUNNING") return true;
    usleep(500000);
  }
  return false;
}

void ExpectState(const FactStore& facts, const std::string& job, std::string_view state) {
  bool found = false;
  for (const SchedulerRecord& record : FactView(facts).All<SchedulerRecord>()) {
    if (JobOfRecord(record.job) != job) continue;
    EXPECT_TRUE(record.belongs_because.starts_with("job " + job + " is named by slurm-" + job + ".out"))
        << record.belongs_because;
    found = found || record.state == state;
  }
  EXPECT_TRUE(found) << "no record of job " << job << " says " << state;
  for (const NotChecked& what : FactView(facts).not_checked()) {
    if (!found) ADD_FAILURE() << what.what << ": " << what.why;
  }
}

TEST(SlurmSlow, TheRecordsOfRealJobsAreRead) {
  if (geteuid() != 0) GTEST_SKIP() << "a cluster of its own needs root";
  if (Output({"sh", "-c", "command -v slurmctld && command -v slurmdbd && command -v munged"}).empty()) {
    GTEST_SKIP() << "Slurm is not installed; tests/support/slurm-up.sh install";
  }
  const Cluster cluster;
  if (!cluster.why_not().empty() && std::getenv("SLURM_CONF") == nullptr) GTEST_SKIP() << cluster.why_not();
  const std::string late = cluster.Submit("50M", "sleep 300");
  const std::string cancelled = cluster.Submit("50M", "sleep 300");
  const std::string greedy = cluster.Submit("50M", "python3 -c 'b=[bytearray(1<<20) for i in range(4000)]'");
  ASSERT_FALSE(late.empty() || cancelled.empty() || greedy.empty());
  for (int i = 0; i < 60 && StateOf(cancelled) != "RUNNING"; ++i) usleep(500000);
  Output({"scancel", cancelled});
  ASSERT_TRUE(WaitForEnd(greedy, 60)) << StateOf(greedy);
  ASSERT_TRUE(WaitForEnd(cancelled, 60)) << StateOf(cancelled);
  ASSERT_TRUE(WaitForEnd(late, 180)) << StateOf(late);
  ExpectState(cluster.Read(late), late, "TIMEOUT");
  ExpectState(cluster.Read(greedy), greedy, "OUT_OF_MEMORY");
  const FactStore facts = cluster.Read(cancelled);
  ExpectState(facts, cancelled, "CANCELLED");
  EXPECT_FALSE(FactView(facts).Hits("slurm-job-cancelled").empty());
}

}  // namespace
}  // namespace assay
