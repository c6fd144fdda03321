// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/kernel_stamp.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(KernelStamp, ReadsEveryForm) {
  const auto boot = ParseKernelStamp("[ 2700.608691] python3 invoked");
  ASSERT_TRUE(boot.has_value());
  EXPECT_EQ(boot->since_boot, 2700.608691);
  EXPECT_EQ(boot->length, 15U);
  const auto wall = ParseKernelStamp("[Mon Sep 21 12:08:44 2026] NVRM");
  ASSERT_TRUE(wall.has_value());
  EXPECT_EQ(FormatTime(*wall->time), "2026-09-21T12:08:44");
  const auto kmsg = ParseKernelStamp("4,341,2700608691,-;python3 invoked");
  ASSERT_TRUE(kmsg.has_value());
  EXPECT_EQ(kmsg->since_boot, 2700.608691);
  EXPECT_EQ(kmsg->length, 19U);
  const auto syslog = ParseKernelStamp("Sep 21 12:08:44 gpu07 kernel: NVRM");
  ASSERT_TRUE(syslog.has_value());
  EXPECT_EQ(syslog->host, "gpu07");
  EXPECT_FALSE(syslog->time.has_value());
  const auto iso = ParseKernelStamp("2026-09-21T12:08:44+00:00 gpu07 kernel: NVRM");
  ASSERT_TRUE(iso.has_value());
  EXPECT_EQ(FormatTime(*iso->time), "2026-09-21T12:08:44Z");
  EXPECT_EQ(iso->host, "gpu07");
  EXPECT_TRUE(ParseKernelStamp("2026-09-21T12:08:44,123456+00:00 NVRM").has_value());
  EXPECT_EQ(ParseKernelStamp("<6>[    1.234567] usb")->since_boot, 1.234567);
}

TEST(KernelStamp, RefusesOtherLoggers) {
  for (const std::string_view text :
       {"", "<", "<6>", "[", "[1.5] step", "[abc] step", "[2026-09-21 12:08:44] step", "2026-09-21 12:08:44,123 INFO x", "1,2;x",
        "Sep 21 12:08:44 gpu07 python[1]: x", "Sep 21", "[-1.234567] x"}) {
    EXPECT_FALSE(ParseKernelStamp(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace assay
