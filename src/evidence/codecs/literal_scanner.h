// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds many literal strings in one pass over a window of bytes. It is the prefilter of the log reader: what it does not find is
// never looked at again, so most bytes of a log cost half a look-up in a small table.
//
// Of each literal the nine bytes that are rarest in ordinary text are its anchor. Only even offsets of the window are looked at:
// wherever the literal stands, the words of four bytes at two neighbouring even offsets lie in its anchor, and a table says of
// every word whether it can be such a first or second one. Where both can, another table says whether one stands behind the other
// in a literal, and the literals with that anchor are compared. Literals of one or two bytes are looked for in a pass of their
// own, so there should be few. Memory: about 1.2 MiB; building it takes about a millisecond.

#include <cstddef>
#include <cstdint>
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

  // Literals are bytes, case-sensitive, not empty; equal ones may repeat. They are borrowed.
  explicit LiteralScanner(std::span<const std::string_view> literals);

  // Appends every occurrence, in order of `end`.
  void Scan(std::string_view window, std::vector<Hit>& hits) const;

 private:
  // A word that is looked for, or the second one of a pair.
  struct Anchor {
    std::uint32_t place;  // of the word in roles_
    std::uint32_t literal;
    std::int32_t behind;   // bytes between the start of the literal and that of the word
    std::uint64_t around;  // what the literal demands of the eight bytes from two before the word on,
    std::uint64_t mask;    // and of which of them
  };

  // `offset` and `first` say where the word or the first word of the pair stands in the text.
  void AddAnchor(std::string_view text, std::uint32_t place, std::uint32_t literal, std::int32_t behind);
  void AddSingle(std::string_view text, std::uint32_t literal, std::int32_t offset);
  void AddPair(std::string_view text, std::uint32_t literal, std::int32_t first);
  // Calls `each` with the kSize bytes at `offset` of `text`; where they reach one byte beyond the text, for any such byte.
  template <std::size_t kSize, class Each>
  static void ForEachFilled(std::string_view text, std::int32_t offset, Each each);
  bool Holds(std::size_t pair) const { return (pairs_[pair / 64] >> (pair % 64) & 1U) != 0; }
  void Index();
  void ScanShort(std::string_view window, std::vector<Hit>& hits) const;
  void Compare(std::string_view window, std::size_t at, std::uint32_t place, std::vector<Hit>& hits) const;

  std::vector<std::string_view> literals_;
  std::vector<std::uint32_t> short_;  // literals of one or two bytes
  std::vector<std::string_view> short_texts_;
  std::vector<std::uint8_t> roles_;    // of the words with one hash
  std::vector<std::uint64_t> pairs_;   // a bit for each hash of the bytes of a pair
  std::vector<Anchor> anchors_;        // sorted by place
  std::vector<std::uint32_t> begins_;  // of the anchors of each run of places
};

}  // namespace assay
