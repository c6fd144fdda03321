// SPDX-License-Identifier: Apache-2.0
#pragma once

// Facts by hand, where a rule is asked about settings and readings rather than about a log.

#include <string>
#include <string_view>

#include "evidence/facts/fact_store.h"

namespace assay::testing {

inline SourceId AddListing(FactStore& facts, std::string_view path = "notes/listing.txt") {
  return facts.AddSource({.path = std::string(path), .format = "test", .size = 1 << 20});
}

inline void AddConfig(FactStore& facts, std::string_view key, std::string_view value,
                      ConfigValue::Origin origin = ConfigValue::Origin::kFile) {
  const SourceId source = AddListing(facts, "config.yaml");
  const std::uint64_t at = 16 * facts.Mutable<ConfigValue>().size();
  facts.Add<ConfigValue>({.key = std::string(key),
                          .value = std::string(value),
                          .origin = origin,
                          .cite = {.source = source, .begin = at, .end = at + 8}});
}

// Readings with one `line` are of one moment.
inline void AddReading(FactStore& facts, std::string_view name, double value, std::uint64_t line,
                       std::string_view because = "it was saved beside the run") {
  const SourceId source = AddListing(facts);
  facts.Add<Reading>({.name = std::string(name),
                      .value = value,
                      .belongs_because = std::string(because),
                      .time = Time{.seconds = 1000.0 + static_cast<double>(line), .zoned = true},
                      .cite = {.source = source, .begin = 32 * line, .end = 32 * line + 20, .line = line}});
}

}  // namespace assay::testing
