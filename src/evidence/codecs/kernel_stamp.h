// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clock in front of a line of the kernel log, in every form in which it is printed or saved:
//   [12345.678901] text                     dmesg: seconds since boot
//   [Mon Sep 21 12:08:44 2026] text         dmesg -T: wall clock, local, computed from the boot time
//   2026-09-21T12:08:44,123456+00:00 text   dmesg --time-format=iso, journalctl -o short-iso
//   Sep 21 12:08:44 host kernel: text       journal and syslog: no year, so that it gives no time
//   6,1234,12345678901,-;text               /dev/kmsg: priority, sequence, microseconds since boot

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace assay {

struct KernelStamp {
  std::optional<double> since_boot;  // seconds
  std::optional<Time> time;
  std::string_view host;   // where the line names it
  std::size_t length = 0;  // bytes in front of the text
};

// nullopt when the line does not start as a line of the kernel log does.
std::optional<KernelStamp> ParseKernelStamp(std::string_view line);

}  // namespace assay
