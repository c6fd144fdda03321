// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds many literal strings in one pass over a window of bytes (vectorscan). It is the prefilter of the log reader: what it
// does not find is never looked at again, so most bytes of a log cost one SIMD pass.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

class LiteralScanner {
 public:
  struct Hit {
    std::uint64_t end;      // offset in the window, one past the literal
    std::uint32_t literal;  // index into the literals given
  };

  // Literals are bytes, case-sensitive, not empty; equal ones may repeat.
  explicit LiteralScanner(std::span<const std::string_view> literals);
  ~LiteralScanner();
  LiteralScanner(const LiteralScanner&) = delete;
  LiteralScanner& operator=(const LiteralScanner&) = delete;

  // Appends every occurrence, in order of `end`.
  void Scan(std::string_view window, std::vector<Hit>& hits) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
