// SPDX-License-Identifier: Apache-2.0
#pragma once

// `squeue` and `kubectl get pods`: a SchedulerRecord for each job or pod, whoever it belongs to. What they say of a state is
// spelled as the longer records spell it ("PENDING", "RUNNING", "OOMKilled").

#include <cstddef>

#include "evidence/listings/listing_context.h"

namespace assay {

class QueueTables {
 public:
  bool Take(const ListingLine& line, ListingContext& context);

 private:
  bool Header(std::string_view text);
  bool JobRow(const ListingLine& line, ListingContext& context) const;
  bool PodRow(const ListingLine& line, ListingContext& context) const;

  enum class Kind { kNone, kJobs, kPods };
  Kind kind_ = Kind::kNone;
  std::size_t name_ = 0;   // column of the job's id or the pod's name
  std::size_t state_ = 0;  // column of the state
  std::size_t ready_ = 0;  // column of the ready containers
  std::size_t node_ = 0;   // column of the node or the reason; 0: none
};

}  // namespace assay
