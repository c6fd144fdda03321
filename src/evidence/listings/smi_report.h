// SPDX-License-Identifier: Apache-2.0
#pragma once

// `nvidia-smi -q`: one moment of every device, as indented "key : value" lines in sections. The same facts as
// listings/nvidia_smi.h gives of the other forms; devices are counted in the order in which they stand.

#include <string>
#include <string_view>

#include "evidence/listings/listing_context.h"

namespace assay {

class SmiReport {
 public:
  bool Take(const ListingLine& line, ListingContext& context);

 private:
  void Value(std::string_view key, std::string_view value, const ListingLine& line, ListingContext& context) const;

  bool inside_ = false;
  int devices_ = 0;
  std::string gpu_;      // "gpu.0."; empty before the first device
  std::string section_;  // the heading above, in lower case
};

}  // namespace assay
