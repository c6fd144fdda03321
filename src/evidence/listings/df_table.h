// SPDX-License-Identifier: Apache-2.0
#pragma once

// `df`, `df -h`, `df -i`, `df -T` and `quota`, `lfs quota`. Facts: disk.MOUNT.size, .used, .free (bytes), .used_percent,
// disk.MOUNT.inodes, .inodes_used, .inodes_free (count); quota.FILESYSTEM.used, .soft, .hard (bytes; absent: no limit),
// .files_used, .files_soft, .files_hard (count), .over (the text is the grace that is left). Sizes of -h are rounded by df.

#include <string>

#include "evidence/listings/listing_context.h"

namespace assay {

class DfTable {
 public:
  // True when the line is of a table of this kind.
  bool Take(const ListingLine& line, ListingContext& context);

 private:
  bool Row(std::string_view text, const ListingLine& line, ListingContext& context) const;
  bool inside_ = false;
  bool inodes_ = false;
  double block_ = 0;  // bytes of a bare number; 0: the header did not say
  bool has_type_ = false;
  std::string wrapped_;  // a name too long for its column: the numbers stand in the next line
};

class QuotaTable {
 public:
  bool Take(const ListingLine& line, ListingContext& context);

 private:
  bool inside_ = false;
  std::string wrapped_;
};

}  // namespace assay
