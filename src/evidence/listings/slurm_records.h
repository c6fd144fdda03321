// SPDX-License-Identifier: Apache-2.0
#pragma once

// `sacct` in columns or with -p/-P, `scontrol show job` and `seff`: SchedulerRecord for each job and step, and a Reading
// scheduler.JOB.start, .end (seconds since the epoch, in the cluster's local time unless a zone is printed) where they are said.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "evidence/listings/listing_context.h"

namespace assay {

class SlurmRecords {
 public:
  bool Take(const ListingLine& line, ListingContext& context);
  void Finish(ListingContext& context);  // the record that is still open

 private:
  bool Table(const ListingLine& line, ListingContext& context);
  bool KeyValues(const ListingLine& line, ListingContext& context);
  bool Efficiency(const ListingLine& line, ListingContext& context);
  void Set(std::string_view key, std::string_view value);
  void Push(ListingContext& context);

  std::vector<std::string> columns_;
  std::vector<std::pair<std::size_t, std::size_t>> spans_;  // of the columns; empty: cells between '|'
  std::string header_;                                      // the line above, which a line of dashes makes a header
  bool open_ = false;                                       // a record of scontrol or seff is being read
  SchedulerRecord record_;
  std::vector<std::pair<std::string, Time>> times_;
};

}  // namespace assay
