// SPDX-License-Identifier: Apache-2.0
#include "case/observations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace assay {
namespace {

// A kernel line of this machine, tied to the run or not.
FactStore WithKernelLine(std::string because) {
  FactStore facts;
  const SourceId kernel =
      facts.AddSource({.path = "/dev/kmsg", .kind = SourceKind::kReading, .format = "kernel-log", .size = 100});
  facts.Add(SignatureHit{.signature = knowledge::FindSignature("kernel-segfault"),
                         .cite = {.source = kernel, .begin = 0, .end = 40, .line = 1},
                         .quote = "python[977]: segfault at 0 ip 00007f",
                         .origin = Origin::kKernelLog,
                         .belongs_because = std::move(because)});
  return facts;
}

bool Tells(const FactStore& facts) {
  const std::vector<Observation> all = Observe(FactView(facts), Extent{});
  return std::any_of(all.begin(), all.end(),
                     [](const Observation& o) { return o.statement.find("segfault") != std::string::npos; });
}

TEST(Observations, ALineAboutTheRunIsTold) {
  EXPECT_TRUE(Tells(WithKernelLine("process 977 of the line is named in train.log:1")));
}

TEST(Observations, ALiveLineThatNothingTiesToTheRunIsNot) { EXPECT_FALSE(Tells(WithKernelLine(""))); }

}  // namespace
}  // namespace assay
