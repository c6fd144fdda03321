// SPDX-License-Identifier: Apache-2.0
#pragma once

// Times as tools of the operating system print them, beside the ISO 8601 of base/time.h: "Wed Mar 17 13:20:31 2021" (ctime, dmesg
// -T), "Mon May 11 22:39:02 UTC 2026" (date), "Mon, 30 Mar 2026 06:11:31 +0000" (kubectl, RFC 5322). Only UTC, GMT and numeric
// offsets make a time zoned: abbreviations such as CST name several zones.

#include <optional>
#include <string_view>

#include "base/time.h"

namespace assay {

// The time at the start of `text` and its length in bytes; nullopt when there is none.
std::optional<TimePrefix> ParseSystemTime(std::string_view text);

// "1-02:03:04", "02:03:04", "03:04", "03:04.500": seconds. nullopt for anything else ("UNLIMITED", "Partition_Limit").
std::optional<double> ParseClockDuration(std::string_view text);

}  // namespace assay
