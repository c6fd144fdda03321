// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether two runs were meant to be equal: their settings side by side, and what of code, environment, data and devices differs.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay {

enum class DifferenceKind : std::uint8_t { kSetting, kSeed, kPrecision, kEnvironment, kCode, kData, kWorld, kDevice };

struct Difference {
  DifferenceKind kind;
  std::string key;
  std::string ours;
  std::string theirs;
  Citation our_cite;
  Citation their_cite;
  bool is_precision = false;
};

struct Comparison {
  std::size_t common = 0;             // settings that both runs state, without names, paths, times and the like
  std::vector<Difference> different;  // of them and of the lines about versions, devices and ranks
  std::optional<std::string> seed;    // stated by both and equal
  bool same_settings = false;         // at least three in common, none of them and not the seed differs
  bool comparable = false;            // no setting, seed or number type differs, as far as both state it
  std::optional<Citation> seed_cite;
};
Comparison Compare(const FactView& ours, const FactView& theirs);

// The names of the runs differ in a counter behind a word for repetition: "run1" and "run2", "session_a" and "session_b".
bool NamesSayRepeat(std::string_view one, std::string_view other);

// Keys of a label or class map, whose order is a matter of its own.
bool IsClassMap(std::string_view lower_key);

// Ours computes in the narrow type and theirs in a wider one, among these differences.
bool SaysNarrow(const std::vector<Difference>& differences);

// "lr=0.1 against 0.01, epochs=3 against 5": the first few, made safe to print.
std::string Listed(const std::vector<Difference>& differences, DifferenceKind kind);

}  // namespace assay
