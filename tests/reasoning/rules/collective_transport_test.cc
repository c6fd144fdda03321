// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::Conclude;
using testing::Ids;

constexpr std::string_view kRule = "collective-transport";

void Chooses(FactStore& facts, std::string_view path, std::string_view network) {
  const SourceId source = facts.AddSource({.path = std::string(path), .format = "text-log"});
  facts.Add(SignatureHit{.signature = knowledge::FindSignature("nccl-network"),
                         .cite = {.source = source, .begin = 0, .end = 40, .line = 1},
                         .captures = {{"network", std::string(network)}}});
}

std::string With(std::string_view own, std::string_view other) {
  FactStore facts;
  Chooses(facts, "jobs/88377.log", own);
  Chooses(facts.AddSibling("jobs-88120"), "jobs/88120.log", other);
  return Ids(Conclude(kRule, facts), kRule);
}

TEST(CollectiveTransport, SocketsAreSlowWhereAnotherRunHadBetter) {
  EXPECT_EQ(With("Socket", "IB"), "link-slow");
  EXPECT_EQ(With("Socket", "AWS Libfabric"), "link-slow");
}

TEST(CollectiveTransport, SocketsAloneAreWhatTheClusterHas) {
  EXPECT_EQ(With("Socket", "Socket"), "");
  EXPECT_EQ(With("IB", "Socket"), "");
  FactStore alone;
  Chooses(alone, "train.log", "Socket");
  EXPECT_EQ(Ids(Conclude(kRule, alone), kRule), "");
}

}  // namespace
}  // namespace assay
