// SPDX-License-Identifier: Apache-2.0
#include "evidence/codecs/literal_scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/text.h"
#include "evidence/codecs/byte_scan.h"

namespace assay {
namespace {

constexpr std::size_t kWord = 4;
constexpr std::size_t kPair = 6;      // bytes of two words at neighbouring even offsets
constexpr std::size_t kLongPair = 8;  // and of what stands behind them
constexpr std::size_t kAnchor = 9;    // two long pairs, of which one begins at an even offset
constexpr std::size_t kGroup = 16;    // bytes whose eight words are looked up before the first branch

constexpr std::uint32_t kTableBits = 17;
constexpr std::uint32_t kPairBits = 18;
constexpr std::uint32_t kRunBits = 2;  // places that share a run of anchors

// What a word can be: the first word of a pair, the second one, or a whole literal. Pairs are of three
// kinds, so that the first word of one literal and the second one of another seldom make a false pair.
constexpr unsigned kKinds = 3;
constexpr unsigned kLongKind = 0;    // of literals as long as an anchor
constexpr unsigned kMiddleKind = 1;  // of those of five bytes and more
constexpr unsigned kShortKind = 2;   // of those of four bytes, of which many words can be a part
constexpr std::uint8_t kSingle = 1U << (2 * kKinds);
constexpr std::uint64_t SecondOf(unsigned kind) { return 1U << (kKinds + kind); }
constexpr std::uint64_t kEveryByte = 0x0101010101010101;
constexpr std::uint64_t kFirsts = kEveryByte * ((1U << kKinds) - 1);

// How common a byte is in prose, source code and what programs print, from 0 (rare) to 15.
constexpr std::array<std::uint8_t, 256> kCommonness = [] {
  constexpr std::string_view kByRank = " etaoinsrlcdupmhfgby_.v,k-:xw=0'\"/1)(2jqzSTECAR";
  std::array<std::uint8_t, 256> table{};
  for (std::size_t c = 0; c < 128; ++c) table[c] = 2;
  for (std::size_t rank = 0; rank < kByRank.size(); ++rank) {
    table[static_cast<unsigned char>(kByRank[rank])] = static_cast<std::uint8_t>(15 - rank * 12 / kByRank.size());
  }
  return table;
}();

unsigned CommonnessOf(char c) { return kCommonness[static_cast<unsigned char>(c)]; }

// Where the kAnchor bytes begin that are rarest together; the last such place, for texts differ more in their ends.
std::size_t RarestPlace(std::string_view literal) {
  std::size_t best = 0;
  unsigned least = ~0U;
  for (std::size_t at = 0; at + std::min(kAnchor, literal.size()) <= literal.size(); ++at) {
    unsigned sum = 0;
    for (const char c : literal.substr(at, kAnchor)) sum += CommonnessOf(c);
    if (sum <= least) {
      least = sum;
      best = at;
    }
  }
  return best;
}

std::uint32_t PlaceOf(const char* text) {
  std::uint32_t word = 0;
  std::memcpy(&word, text, kWord);
  return (word * 0x9E3779B1U) >> (32U - kTableBits);
}

// The number of the bit of a pair; eight bytes must be there.
template <std::size_t kSize>
std::size_t PairOf(const char* text) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof(bytes));
  return (bytes << (8 * (sizeof(bytes) - kSize))) * 0x9E3779B97F4A7C15U >> (64U - kPairBits);
}

std::uint64_t BitOf(std::size_t pair) { return std::uint64_t{1} << (pair % 64); }

// Hits come in the order of the text, and their ends nearly so.
inline void AddInOrder(const LiteralScanner::Hit& hit, std::vector<LiteralScanner::Hit>& hits) {
  hits.push_back(hit);
  for (std::size_t to = hits.size() - 1; to > 0 && hits[to - 1].end > hit.end; --to) std::swap(hits[to - 1], hits[to]);
}

}  // namespace

LiteralScanner::LiteralScanner(std::span<const std::string_view> literals)
    : literals_(literals.begin(), literals.end()),
      roles_(std::size_t{1} << kTableBits),
      pairs_((std::size_t{1} << kPairBits) / 64) {
  static_assert(std::endian::native == std::endian::little);
  for (std::uint32_t i = 0; i < literals_.size(); ++i) {
    const std::string_view text = literals_[i];
    ASSAY_CHECK(!text.empty());
    if (text.size() + 1 < kWord) {
      short_.push_back(i);
      short_texts_.push_back(text);
    } else if (text.size() < kWord) {
      AddSingle(text, i, 0);
      AddSingle(text, i, -1);
    } else if (text.size() == kWord) {
      AddSingle(text, i, 0);
      AddPair(text, i, -1);
    } else if (text.size() == kWord + 1) {
      AddPair(text, i, 0);
      AddPair(text, i, -1);
    } else {
      const auto place = static_cast<std::int32_t>(RarestPlace(text));
      AddPair(text, i, place);
      AddPair(text, i, place + 1);
    }
  }
  Index();
}

template <std::size_t kSize, class Each>
void LiteralScanner::ForEachFilled(std::string_view text, std::int32_t offset, Each each) {
  std::array<char, sizeof(std::uint64_t)> bytes{};
  std::size_t unknown = kSize;
  for (std::size_t i = 0; i < kSize; ++i) {
    const std::int64_t at = offset + static_cast<std::int64_t>(i);
    if (at >= 0 && at < static_cast<std::int64_t>(text.size())) {
      bytes[i] = text[static_cast<std::size_t>(at)];
    } else {
      ASSAY_CHECK(unknown == kSize);
      unknown = i;
    }
  }
  if (unknown == kSize) return each(bytes.data());
  for (unsigned byte = 0; byte < 256; ++byte) {
    bytes[unknown] = static_cast<char>(byte);
    each(bytes.data());
  }
}

void LiteralScanner::AddAnchor(std::string_view text, std::uint32_t place, std::uint32_t literal, std::int32_t behind) {
  Anchor anchor{.place = place, .literal = literal, .behind = behind, .around = 0, .mask = 0};
  for (std::size_t i = 0; i < sizeof(anchor.around); ++i) {
    const std::int64_t at = behind - 2 + static_cast<std::int64_t>(i);
    if (at < 0 || at >= static_cast<std::int64_t>(text.size())) continue;
    anchor.around |= std::uint64_t{static_cast<unsigned char>(text[static_cast<std::size_t>(at)])} << (8 * i);
    anchor.mask |= std::uint64_t{0xFF} << (8 * i);
  }
  anchors_.push_back(anchor);
}

void LiteralScanner::AddSingle(std::string_view text, std::uint32_t literal, std::int32_t offset) {
  ForEachFilled<kWord>(text, offset, [&](const char* word) {
    const std::uint32_t place = PlaceOf(word);
    roles_[place] |= kSingle;
    AddAnchor(text, place, literal, offset);
  });
}

void LiteralScanner::AddPair(std::string_view text, std::uint32_t literal, std::int32_t first) {
  const unsigned kind = text.size() <= kWord ? kShortKind : text.size() < kAnchor ? kMiddleKind : kLongKind;
  ForEachFilled<kWord>(text, first, [&](const char* word) { roles_[PlaceOf(word)] |= static_cast<std::uint8_t>(1U << kind); });
  ForEachFilled<kWord>(text, first + 2, [&](const char* word) {
    const std::uint32_t place = PlaceOf(word);
    roles_[place] |= static_cast<std::uint8_t>(1U << (kKinds + kind));
    AddAnchor(text, place, literal, first + 2);
  });
  const auto remember = [&](std::size_t pair) { pairs_[pair / 64] |= BitOf(pair); };
  if (kind == kLongKind) ForEachFilled<kLongPair>(text, first, [&](const char* bytes) { remember(PairOf<kLongPair>(bytes)); });
  if (kind == kMiddleKind) ForEachFilled<kPair>(text, first, [&](const char* bytes) { remember(PairOf<kPair>(bytes)); });
}

void LiteralScanner::Index() {
  std::stable_sort(anchors_.begin(), anchors_.end(), [](const Anchor& a, const Anchor& b) { return a.place < b.place; });
  begins_.assign((std::size_t{1} << (kTableBits - kRunBits)) + 1, 0);
  for (const Anchor& anchor : anchors_) ++begins_[(anchor.place >> kRunBits) + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
}

void LiteralScanner::Compare(std::string_view window, std::size_t at, std::uint32_t place, std::vector<Hit>& hits) const {
  std::uint64_t around = 0;
  const bool surrounded = at >= 2 && at - 2 + sizeof(around) <= window.size();
  if (surrounded) std::memcpy(&around, window.data() + at - 2, sizeof(around));
  for (std::uint32_t i = begins_[place >> kRunBits]; i < begins_[(place >> kRunBits) + 1]; ++i) {
    const Anchor& anchor = anchors_[i];
    // Many literals have a word in common, and few more than that.
    if (anchor.place != place || (surrounded && ((around ^ anchor.around) & anchor.mask) != 0)) continue;
    const std::int64_t from = static_cast<std::int64_t>(at) - anchor.behind;
    if (from < 0) continue;
    const std::string_view literal = literals_[anchor.literal];
    const auto begin = static_cast<std::size_t>(from);
    if (begin + literal.size() > window.size() || !EqualsShort(window.substr(begin, literal.size()), literal)) continue;
    AddInOrder({.end = begin + literal.size(), .literal = anchor.literal}, hits);
  }
}

void LiteralScanner::ScanShort(std::string_view window, std::vector<Hit>& hits) const {
  std::vector<std::size_t> places;
  FindShort(window, short_texts_, places);
  std::vector<Hit> found;
  for (const std::size_t place : places) {
    for (const std::uint32_t literal : short_) {
      const std::string_view text = literals_[literal];
      if (window[place] != text.front() || window.substr(place, text.size()) != text) continue;
      AddInOrder({.end = place + text.size(), .literal = literal}, found);
    }
  }
  const auto by_end = [](const Hit& a, const Hit& b) { return a.end < b.end; };
  const auto middle = hits.insert(hits.end(), found.begin(), found.end());
  std::inplace_merge(hits.begin(), middle, hits.end(), by_end);
}

void LiteralScanner::Scan(std::string_view window, std::vector<Hit>& hits) const {
  std::uint64_t before = 0;  // the role of the word before the group
  std::size_t at = 0;
  for (; at + kGroup + kWord <= window.size(); at += kGroup) {
    const char* const group = window.data() + at;
    const auto role = [&](std::size_t i) { return std::uint64_t{roles_[PlaceOf(group + 2 * i)]} << (8 * i); };
    const std::uint64_t roles = role(0) | role(1) | role(2) | role(3) | role(4) | role(5) | role(6) | role(7);
    const std::uint64_t firsts = (roles << 8U | before) & kFirsts;
    std::uint64_t marked = roles & (firsts << kKinds | kEveryByte * kSingle);
    before = roles >> 56U;
    while (marked != 0) {
      const auto word = static_cast<unsigned>(std::countr_zero(marked)) / 8;
      const std::size_t place = at + std::size_t{2} * word;
      const std::uint64_t matched = marked >> (8 * word) & 0xFF;
      marked &= ~(std::uint64_t{0xFF} << (8 * word));
      // Both words are known, but seldom one behind the other.
      const auto pair = [&] { return window.data() + place - 2; };
      const bool stands = (matched & (SecondOf(kShortKind) | kSingle)) != 0 ||
                          ((matched & SecondOf(kLongKind)) != 0 && Holds(PairOf<kLongPair>(pair()))) ||
                          ((matched & SecondOf(kMiddleKind)) != 0 && Holds(PairOf<kPair>(pair())));
      if (!stands) continue;
      Compare(window, place, PlaceOf(window.data() + place), hits);
    }
  }
  // The last words, some of which reach beyond the window.
  for (; at < window.size(); at += 2) {
    std::array<char, kWord> rest{};
    std::memcpy(rest.data(), window.data() + at, std::min(rest.size(), window.size() - at));
    const std::uint32_t place = PlaceOf(rest.data());
    const std::uint64_t role = roles_[place];
    if ((role & ((before & kFirsts) << kKinds | kSingle)) != 0) Compare(window, at, place, hits);
    before = role;
  }
  if (!short_.empty()) ScanShort(window, hits);
}

}  // namespace assay
