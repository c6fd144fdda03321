// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>

#include "base/time.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/text_file.h"
#include "evidence/logs/log_reader.h"
#include "evidence/probing/run_probes.h"

// Two processes of one name, each in a memory cgroup of its own, are really killed by the kernel in the same second. The log of a
// run names one of them; the probes must take that kill for the run's, and only that one.

namespace assay {
namespace {

constexpr long kLimit = 24L << 20;

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return static_cast<bool>(file);
}

// A cgroup with a limit, removed at the end. Version 1 or 2, whichever holds the memory controller.
class Limited {
 public:
  explicit Limited(const std::string& name) {
    struct stat info{};
    const bool version1 = stat("/sys/fs/cgroup/memory/memory.limit_in_bytes", &info) == 0;
    if (!version1) Write("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
    folder_ = (version1 ? "/sys/fs/cgroup/memory/" : "/sys/fs/cgroup/") + name;
    if (mkdir(folder_.c_str(), 0755) != 0) {
      why_not_ = folder_ + ": " + std::strerror(errno);
      return;
    }
    if (!Write(folder_ + (version1 ? "/memory.limit_in_bytes" : "/memory.max"), std::to_string(kLimit)))
      why_not_ = "the limit cannot be set in " + folder_;
    if (!version1) Write(folder_ + "/memory.swap.max", "0");
  }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;
  ~Limited() {
    for (int i = 0; i < 100 && rmdir(folder_.c_str()) != 0 && errno == EBUSY; ++i) usleep(10000);
  }
  const std::string& why_not() const { return why_not_; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  std::string why_not_;
};

// A child of this name inside the cgroup, which asks for more than the limit as soon as it has read its byte.
pid_t StartGreedy(const Limited& group, int go) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_NAME, "python3");
  if (!Write(group.folder() + "/cgroup.procs", std::to_string(getpid()))) _exit(2);
  char byte = 0;
  if (read(go, &byte, 1) != 1) _exit(4);
  for (;;) {
    void* block = std::malloc(1 << 20);
    if (block == nullptr) _exit(3);
    std::memset(block, 1, 1 << 20);
  }
}

std::string Now() { return FormatTime({static_cast<double>(std::time(nullptr)), true}); }

TEST(OomKillSlow, TheKillOfTheRunIsToldFromThatOfItsTwin) {
  if (geteuid() != 0) GTEST_SKIP() << "making a control group needs root";
  const std::string name = "assay-test-" + std::to_string(getpid());
  const Limited own(name + "-own");
  const Limited twin(name + "-twin");
  if (!own.why_not().empty()) GTEST_SKIP() << "no memory control group can be made here: " << own.why_not();
  if (!twin.why_not().empty()) GTEST_SKIP() << "no memory control group can be made here: " << twin.why_not();
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t run = StartGreedy(own, go[0]);
  const pid_t other = StartGreedy(twin, go[0]);
  ASSERT_GT(run, 0);
  ASSERT_GT(other, 0);
  std::string log = Now() + " pid " + std::to_string(run) + " starts\n";
  ASSERT_EQ(write(go[1], "xx", 2), 2);
  close(go[0]);
  close(go[1]);
  int status = 0;
  ASSERT_EQ(waitpid(run, &status, 0), run);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the kernel did not kill it: status " << status;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the kernel did not kill the twin: status " << status;
  log += Now() + " last line\n";

  FactStore facts;
  const TextFile file(log);
  const SourceId source = facts.AddSource({.path = "train.log", .format = "text-log", .size = log.size()});
  const auto stream = OpenStream(file);
  LogReader::Shared().Read(*stream, source, {}, facts);
  const RealFileSystem files;
  RunProbes({.files = files, .project = "/nowhere", .ties = DeriveRunTies(FactView(facts), "/nowhere")}, facts);

  const SignatureHit* of_run = nullptr;
  const SignatureHit* of_twin = nullptr;
  for (const SignatureHit& hit : FactView(facts).All<SignatureHit>()) {
    if (hit.origin != Origin::kKernelLog || hit.signature->id != "kernel-oom-memcg") continue;
    if (hit.Capture("pid") == std::to_string(run)) of_run = &hit;
    if (hit.Capture("pid") == std::to_string(other)) of_twin = &hit;
  }
  if (of_run == nullptr) {
    for (const NotChecked& what : FactView(facts).not_checked()) {
      if (what.what == "the kernel log") GTEST_SKIP() << "the kernel log cannot be read here: " << what.why;
    }
  }
  ASSERT_NE(of_run, nullptr);
  ASSERT_NE(of_twin, nullptr);
  EXPECT_EQ(of_run->Capture("command"), "python3");
  EXPECT_EQ(of_twin->Capture("command"), "python3");
  EXPECT_LT(std::abs(of_run->time->seconds - of_twin->time->seconds), 2.0);
  EXPECT_EQ(of_run->belongs_because,
            "process " + std::to_string(run) + " of the line is named in train.log:1, and its time lies within the run's");
  EXPECT_EQ(of_twin->belongs_because, "");
}

}  // namespace
}  // namespace assay
