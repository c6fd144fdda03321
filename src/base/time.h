// SPDX-License-Identifier: Apache-2.0
#pragma once

// Times as artifacts carry them: a count of seconds, and whether the zone of that count is known. Text without a zone is
// kept as if it were UTC and marked, so that two such times of one host still compare, and never mix with zoned ones.

#include <optional>
#include <string>
#include <string_view>

namespace assay {

struct Time {
  double seconds = 0;  // since 1970-01-01 00:00:00, UTC if `zoned`, else local time of the writer
  bool zoned = false;
  friend bool operator==(const Time&, const Time&) = default;
};

// The time at the start of `text` and its length in bytes: ISO 8601 ("2026-01-01T12:00:00.5Z", blank for T, comma for the
// point, with or without offset), "01/31 12:00:00" needs a year and is refused. nullopt when there is none.
struct TimePrefix {
  Time time;
  std::size_t length;
};
std::optional<TimePrefix> ParseTimePrefix(std::string_view text);

// RFC 3339; without an offset where the zone is unknown: "2026-01-01T12:00:00Z", "2026-01-01T12:00:00.250".
std::string FormatTime(const Time& time);

}  // namespace assay
