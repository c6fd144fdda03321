// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text in memory in the shape of a file, so that captured output goes through the same readers as artifacts.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "platform/file_system.h"

namespace assay {

class TextFile : public RandomAccessFile {
 public:
  explicit TextFile(std::string_view text) : text_(text) {}  // borrowed
  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= text_.size()) return std::size_t{0};
    const std::size_t n = std::min<std::size_t>(into.size(), text_.size() - offset);
    std::copy_n(std::as_bytes(std::span(text_)).begin() + static_cast<std::ptrdiff_t>(offset), n, into.begin());
    return n;
  }
  std::uint64_t size() const override { return text_.size(); }

 private:
  std::string_view text_;
};

}  // namespace assay
