// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file in memory whose buffer is exactly as large as its content, so that AddressSanitizer sees a read past the end.

#include <algorithm>
#include <memory>
#include <string_view>

#include "platform/file_system.h"

namespace assay::testing {

class ExactFile : public RandomAccessFile {
 public:
  explicit ExactFile(std::string_view bytes) : bytes_(std::make_unique<std::byte[]>(bytes.size())), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(bytes_.get()));
  }
  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= size_) return std::size_t{0};
    const std::size_t n = std::min<std::size_t>(into.size(), size_ - offset);
    std::copy_n(bytes_.get() + offset, n, into.begin());
    return n;
  }
  std::uint64_t size() const override { return size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
};

}  // namespace assay::testing
