// SPDX-License-Identifier: Apache-2.0
#pragma once

// BlockVector: a sequence that grows at its end in blocks that never move. Each block is as large as all before it together, so
// that few elements cost little, many cost no copies, and a long sequence is a handful of blocks. Memory beyond the elements is
// reserved and not touched.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace assay {

template <class T>
class BlockVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return *Place(i); }
  T& operator[](std::size_t i) { return *Place(i); }
  T& back() { return next_[-1]; }

  // Calls each(index, element) in order; faster than asking for one after the other.
  template <class Each>
  void ForEach(Each each) const {
    std::size_t i = 0;
    for (unsigned block = 0; i < size_; ++block) {
      const std::size_t end = std::min(size_, std::size_t{1} << (kFirstBits + block));
      for (const T* element = blocks_[block].get(); i < end; ++i, ++element) each(i, *element);
    }
  }

  // The new element; it stays where it is.
  T& push_back(const T& value) {
    if (next_ == end_) Grow();
    ++size_;
    return *std::construct_at(next_++, value);
  }

 private:
  struct Release {
    void operator()(T* block) const { ::operator delete(block); }
  };

  static constexpr unsigned kFirstBits = 4;  // 16 elements in the first block, and in the second
  static constexpr std::size_t kBlocks = 32;

  // Element i is in block 0, or in block b where its highest bit is bit kFirstBits + b - 1.
  T* Place(std::size_t i) const {
    const auto bits = static_cast<unsigned>(std::bit_width(i >> kFirstBits));
    const std::size_t first = bits == 0 ? 0 : std::size_t{1} << (kFirstBits + bits - 1);
    return blocks_[bits].get() + (i - first);
  }
  void Grow() {
    const auto bits = static_cast<unsigned>(std::bit_width(size_ >> kFirstBits));
    const std::size_t length = std::size_t{1} << (kFirstBits + (bits == 0 ? 0 : bits - 1));
    blocks_[bits].reset(static_cast<T*>(::operator new(length * sizeof(T))));  // constructing all of it would touch it
    next_ = blocks_[bits].get();
    end_ = next_ + length;
  }

  std::array<std::unique_ptr<T[], Release>, kBlocks> blocks_;
  T* next_ = nullptr;
  T* end_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace assay
