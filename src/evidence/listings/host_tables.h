// SPDX-License-Identifier: Apache-2.0
#pragma once

// `ps` in any form with a header, `top`'s process rows, `free`, /proc/meminfo, `ulimit -a`, /proc/PID/limits. Facts: ProcessSeen
// for a row of ps; process.PID.rss (bytes); host.memory_total, .memory_used, .memory_available, .swap_total, .swap_used (bytes);
// limit.open_files, .processes, .file_size, .virtual_memory, .data, .locked_memory, .stack, .core: the soft limit (bytes or
// count; infinite where it is unlimited).

#include <string>
#include <vector>

#include "evidence/listings/listing_context.h"

namespace assay {

class ProcessTable {
 public:
  bool Take(const ListingLine& line, ListingContext& context);

 private:
  std::vector<std::string> columns_;  // empty: no header yet
};

class MemoryTable {
 public:
  bool Take(const ListingLine& line, ListingContext& context);

 private:
  bool inside_ = false;
  std::vector<std::string> columns_;
};

// Needs no state: every line names its limit.
bool TakeLimit(const ListingLine& line, ListingContext& context);

}  // namespace assay
