// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::FindingsOfLog;
using testing::IsNotChecked;
using testing::ReadLogText;
using testing::Steps;

FactStore WithLimit(std::string_view log, std::string name, double value) {
  FactStore facts = ReadLogText(log);
  facts.Add(Reading{.name = std::move(name),
                    .value = value,
                    .unit = "bytes",
                    .belongs_because = "saved beside the run",
                    .cite = {.source = SourceId{0}, .end = 4}});
  return facts;
}

TEST(ProcessLimits, ComparesFilesWithTheLimit) {
  FactStore facts = WithLimit(Steps(5), "limit.file_size", 4096);
  facts.Add(RunFile{.size = 4096, .cite = {.source = SourceId{0}}});
  const Findings found = FindingsOf(facts);
  EXPECT_TRUE(found.Has("process-limit-low"));
  EXPECT_TRUE(found.Has("cut-at-limit"));
  EXPECT_FALSE(
      FindingsOf(WithLimit(Steps(5), "limit.file_size", std::numeric_limits<double>::infinity())).Has("process-limit-low"));
  EXPECT_FALSE(FindingsOf(WithLimit(Steps(5), "limit.stack", 8388608)).Has("process-limit-low"));
}

TEST(ProcessLimits, NeedsTheLimitOfLockedMemory) {
  const std::string log =
      Steps(2) + "n1:41:88 [0] misc/ibvwrap.cc:66 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory\n";
  EXPECT_TRUE(FindingsOf(WithLimit(log, "limit.locked_memory", 65536)).Has("memlock-limit"));
  EXPECT_TRUE(IsNotChecked(FindingsOfLog(log), "memlock-limit"));
}

TEST(ProcessLimits, SeesAFaultNextToTheStack) {
  FactStore facts = ReadLogText(Steps(5));
  for (const std::string_view line :
       {"python[5120]: segfault at 7ffc2a3f0ff8 ip 00007f1 sp 7ffc2a3f1000 error 6 in libtorch_cpu.so[7f10]\n"}) {
    const FactStore kernel = ReadLogText(line);
    for (SignatureHit hit : FactView(kernel).All<SignatureHit>()) {
      hit.origin = Origin::kKernelLog;
      hit.belongs_because = "pid 5120";
      facts.Add(std::move(hit));
    }
  }
  EXPECT_TRUE(FindingsOf(facts).Has("stack-limit"));
}

TEST(ProcessLimits, ReadsWhatTheScriptSets) {
  const auto with = [](std::string_view value) {
    FactStore facts = ReadLogText(Steps(2));
    facts.Add(ConfigValue{.key = "ulimit",
                          .value = std::string(value),
                          .origin = ConfigValue::Origin::kJobScript,
                          .cite = {.source = SourceId{0}, .begin = 0, .end = 4}});
    return FindingsOf(facts).Has("process-limit-low");
  };
  EXPECT_TRUE(with("-v 16777216"));
  EXPECT_TRUE(with("-Sd 8388608"));
  for (const std::string_view ordinary : {"-v unlimited", "-n 65536", "-s 8192", "-c 0", "-v"})
    EXPECT_FALSE(with(ordinary)) << ordinary;
}

}  // namespace
}  // namespace assay
