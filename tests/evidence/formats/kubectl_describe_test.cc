// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/listing_facts.h"
#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format kubectl_describe;
}
namespace {

using testing::CutEverywhere;
using testing::Fixture;
using testing::FlipEverywhere;
using testing::ReadAs;
using testing::Value;
using testing::Values;

std::span<const SchedulerRecord> Records(const FactStore& facts) { return FactView(facts).All<SchedulerRecord>(); }

TEST(KubectlDescribe, ReadsAPodThatWasKilledForMemory) {
  const FactStore facts = ReadAs(formats::kubectl_describe, "kubectl-describe.txt", Fixture("kubectl/describe.txt"));
  ASSERT_EQ(Records(facts).size(), 2U);
  EXPECT_EQ(Records(facts)[0].job, "recsys-train-7-lx2qd");
  EXPECT_EQ(Records(facts)[0].state, "Failed");
  const SchedulerRecord& trainer = Records(facts)[1];
  EXPECT_EQ(trainer.job, "recsys-train-7-lx2qd/trainer");
  EXPECT_EQ(trainer.state, "OOMKilled");
  EXPECT_EQ(trainer.exit_code, 137);
  EXPECT_FALSE(trainer.signal.has_value());
  EXPECT_EQ(trainer.requested_memory, 64.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(trainer.elapsed_seconds, 21 * 60.0 + 35);
  EXPECT_EQ(trainer.node, "gke-gpu-pool-3f1b9a2c-8wzl");
  EXPECT_EQ(Value(facts, "scheduler.recsys-train-7-lx2qd/trainer.end"), 1774852413.0);
}

TEST(KubectlDescribe, ReadsAnEvictedPodAndItsEvents) {
  const FactStore facts = ReadAs(formats::kubectl_describe, "pod.txt", Fixture("kubectl/evicted.txt"));
  ASSERT_GE(Records(facts).size(), 1U);
  EXPECT_EQ(Records(facts)[0].state, "Evicted");
  EXPECT_EQ(Records(facts)[0].reason,
            "The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi.");
  const auto hits = FactView(facts).Hits("pod-evicted-disk");
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits[0]->origin, Origin::kScheduler);
}

TEST(KubectlDescribe, ReadsThePodAsJson) {
  const FactStore facts = ReadAs(formats::kubectl_describe, "pod.json", Fixture("kubectl/pod.json"));
  ASSERT_EQ(Records(facts).size(), 4U);
  EXPECT_EQ(Records(facts)[0].state, "Running");
  EXPECT_EQ(Records(facts)[1].job, "vit-pretrain-0-9zq4x/trainer");
  EXPECT_EQ(Records(facts)[1].state, "OOMKilled");
  EXPECT_EQ(Records(facts)[1].exit_code, 137);
  EXPECT_EQ(Records(facts)[1].node, "pool-a-node-17");
  EXPECT_EQ(Records(facts)[1].elapsed_seconds, 3660.0);
  EXPECT_EQ(Records(facts)[1].requested_memory, 96.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(Records(facts)[2].state, "running");
  EXPECT_EQ(Records(facts)[3].state, "Completed");
  EXPECT_TRUE(FactView(facts).anomalies().empty());
}

TEST(KubectlDescribe, ReadsDockerInspect) {
  const FactStore facts = ReadAs(formats::kubectl_describe, "inspect.json", Fixture("kubectl/docker_inspect.json"));
  ASSERT_EQ(Records(facts).size(), 1U);
  EXPECT_EQ(Records(facts)[0].job, "trainer");
  EXPECT_EQ(Records(facts)[0].state, "OOMKilled");
  EXPECT_EQ(Records(facts)[0].exit_code, 137);
  EXPECT_EQ(Records(facts)[0].requested_memory, 17179869184.0);
  EXPECT_EQ(Records(facts)[0].elapsed_seconds, 1800.0);
}

TEST(KubectlDescribe, LeavesOtherJsonAndTextAlone) {
  for (const std::string_view text :
       {"{\"apiVersion\": \"v1\", \"kind\": \"Service\"}", "{\"State\": 1}", "Name:  run\nloss 1\n", "[1]"}) {
    EXPECT_EQ(formats::kubectl_describe.sniff({.path = "a", .bytes = std::as_bytes(std::span(text)), .size = text.size()}),
              Match::kNo)
        << text;
  }
}

TEST(KubectlDescribe, BearsDamage) {
  for (const std::string_view name :
       {"kubectl/describe.txt", "kubectl/evicted.txt", "kubectl/pod.json", "kubectl/docker_inspect.json"}) {
    const std::string bytes = Fixture(name);
    const std::size_t whole = Records(ReadAs(formats::kubectl_describe, "s", bytes)).size();
    CutEverywhere(formats::kubectl_describe, "s", bytes,
                  [&](std::size_t, const FactStore& facts) { EXPECT_LE(Records(facts).size(), whole); });
    FlipEverywhere(formats::kubectl_describe, "s", bytes);
  }
  ReadAs(formats::kubectl_describe, "s", std::string(100000, '['));
  std::string flood = "Name:  x\nNode:  y\nContainers:\n";
  for (int i = 0; i < 5000; ++i) flood += "  c:\n    State:  Terminated\n      Exit Code:  1\n";
  EXPECT_LE(Records(ReadAs(formats::kubectl_describe, "s", flood)).size(), 2000U);
}

}  // namespace
}  // namespace assay
