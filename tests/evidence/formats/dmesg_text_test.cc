// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/listing_facts.h"
#include "tests/support/reading.h"

namespace assay {
namespace formats {
extern const Format dmesg_text;
}
namespace {

using testing::CutEverywhere;
using testing::Fixture;
using testing::FlipEverywhere;
using testing::ReadAs;
using testing::Value;
using testing::Values;

TEST(DmesgText, ReadsARealKillOfACgroup) {
  for (const std::string_view name : {"kernel_log/dmesg.txt", "kernel_log/dmesg_ctime.txt", "kernel_log/kmsg.txt"}) {
    SCOPED_TRACE(name);
    const FactStore facts = ReadAs(formats::dmesg_text, "dmesg.txt", Fixture(name));
    const auto kills = FactView(facts).Hits("kernel-oom-memcg");
    ASSERT_EQ(kills.size(), 1U);
    EXPECT_EQ(kills[0]->Capture("pid"), "9048");
    EXPECT_EQ(kills[0]->Capture("command"), "python3");
    EXPECT_EQ(kills[0]->origin, Origin::kKernelLog);
    EXPECT_NE(kills[0]->cite.line, 0U);
    EXPECT_EQ(kills[0]->time.has_value(), name == "kernel_log/dmesg_ctime.txt");  // boot is not known to a saved file
    const auto summary = FactView(facts).Hits("kernel-oom-constraint-memcg");
    ASSERT_EQ(summary.size(), 1U);
    EXPECT_EQ(summary[0]->Capture("task_group"), "/assay-fixture");
  }
}

TEST(DmesgText, TakesEveryClockOfTheKernelAndNoOther) {
  const auto sniff = [](std::string_view text, std::string_view path = "a.txt") {
    return formats::dmesg_text.sniff({.path = path, .bytes = std::as_bytes(std::span(text)), .size = text.size()});
  };
  EXPECT_EQ(sniff("[    1.234567] usb 1-1: new\n[    1.234569] x\n"), Match::kYes);
  EXPECT_EQ(sniff("Sep 21 12:08:44 gpu07 kernel: NVRM: Xid (PCI:0000:41:00): 79\n"), Match::kYes);
  EXPECT_EQ(sniff("2026-09-21T12:08:44+0000 gpu07 kernel: oops\n"), Match::kYes);
  EXPECT_EQ(sniff("$ dmesg -T | tail\n[Mon Sep 21 12:08:44 2026] NVRM: x\n"), Match::kYes);
  EXPECT_EQ(sniff("[    1.234567] usb 1-1: new\n\xff\x07\n\x01\n\x02 x\n"), Match::kYes);  // damage says nothing
  EXPECT_EQ(sniff("[12.34] step 1 loss 2\n[12.39] step 2\n"), Match::kNo);
  // The name helps where clocks are damaged.
  const std::string_view half = "[    1.234567] usb 1-1: new\n[    1*234567] usb 1-1: new\n";
  EXPECT_EQ(sniff(half), Match::kNo);
  EXPECT_EQ(sniff(half, "logs/dmesg.txt"), Match::kYes);
  EXPECT_EQ(sniff("step 1 loss 2\nstep 2 loss 2\n", "logs/dmesg.txt"), Match::kNo);
  EXPECT_EQ(sniff("Sep 21 12:08:44 gpu07 python[12]: step 1 loss 2\n"), Match::kNo);
  EXPECT_EQ(sniff("2026-09-21 12:08:44,123 INFO step 1\n"), Match::kNo);
  EXPECT_EQ(sniff("[2026-09-21 12:08:44] step 1\n"), Match::kNo);
}

TEST(DmesgText, BearsDamage) {
  const std::string bytes = Fixture("kernel_log/dmesg_ctime.txt");
  CutEverywhere(
      formats::dmesg_text, "s", bytes,
      [](std::size_t, const FactStore& facts) { EXPECT_LE(FactView(facts).Hits("kernel-oom-memcg").size(), 1U); }, 5);
  FlipEverywhere(formats::dmesg_text, "s", bytes, 17);
}

}  // namespace
}  // namespace assay
