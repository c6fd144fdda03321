// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/findings_of.h"

namespace assay {
namespace {

using testing::FindingsOf;
using testing::IsNotChecked;
using testing::ReadLogText;
using testing::Steps;

FactStore WithXid(std::string_view log) {
  FactStore facts = ReadLogText(log);
  FactStore kernel =
      ReadLogText("[123.4] NVRM: Xid (PCI:0000:41:00): 79, pid=118432, name=python, GPU has fallen off the bus.\n");
  for (SignatureHit hit : FactView(kernel).All<SignatureHit>()) {
    hit.origin = Origin::kKernelLog;
    facts.Add(std::move(hit));
  }
  return facts;
}

TEST(OwnDevice, TiesTheErrorByProcessOrAddress) {
  EXPECT_TRUE(FindingsOf(WithXid("pid 118432 on host rig-2\n" + Steps(5))).Has("xid-own-device"));
  const Findings found = FindingsOf(WithXid("device 0: NVIDIA L4 (PCI 0000:41:00.0)\n" + Steps(5)));
  EXPECT_TRUE(found.Has("xid-own-device"));
  EXPECT_TRUE(found.Has("xid-hardware"));
}

TEST(OwnDevice, DoesNotTakeAnothersError) {
  const Findings found = FindingsOf(WithXid("pid 4 on host rig-2\ndevice 0: NVIDIA L4 (PCI 0000:c1:00.0)\n" + Steps(5)));
  EXPECT_FALSE(found.Has("xid-own-device"));
  EXPECT_FALSE(found.Has("xid-hardware"));
  EXPECT_TRUE(IsNotChecked(found, "xid-own-device"));
}

TEST(OwnDevice, TheNumberOfAnotherTimeIsAnotherProcess) {
  FactStore facts = ReadLogText("2026-03-01 06:59:50 pid 118432 on host rig-2\n" + Steps(5));
  FactStore kernel =
      ReadLogText("[123.4] NVRM: Xid (PCI:0000:41:00): 79, pid=118432, name=python, GPU has fallen off the bus.\n");
  for (SignatureHit hit : FactView(kernel).All<SignatureHit>()) {
    hit.origin = Origin::kKernelLog;
    hit.time = Time{.seconds = 1772348400 + 5 * 3600, .zoned = false};  // 2026-03-01 07:00:00 and five hours
    facts.Add(std::move(hit));
  }
  EXPECT_FALSE(FindingsOf(facts).Has("xid-hardware"));
}

}  // namespace
}  // namespace assay
