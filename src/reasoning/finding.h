// SPDX-License-Identifier: Apache-2.0
#pragma once

// A finding is what a rule concludes from facts, citing them. What each finding means is declared in knowledge/findings/.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "evidence/facts/fact_store.h"
#include "knowledge/tables.h"

namespace assay {

struct Finding {
  const FindingInfo* info = nullptr;
  std::string_view rule;        // id of the rule; "signature" where a log line alone establishes it
  std::string statement;        // a full sentence with the numbers of this run
  std::vector<Citation> cites;  // never empty
  std::optional<std::int64_t> step;
  std::optional<double> epoch;
  std::optional<int> rank;
  std::optional<Time> time;
  bool survived = false;  // the run went on with steps afterwards: no end, and no failure by itself
};

// Two sources that disagree about one quantity. It blocks the causes that rest on the side that is less trusted.
struct Contradiction {
  Citation one;
  Citation other;
  std::string statement;
  std::vector<std::string> blocks;  // cause ids
};

// Where rules put what they conclude. A finding that is added twice keeps its first statement and gathers citations.
class Findings {
 public:
  // `id` must be declared in knowledge/findings/ and `cites` must not be empty: anything else is a bug of the rule.
  Finding& Add(std::string_view rule, std::string_view id, std::string statement, std::vector<Citation> cites);
  void AddContradiction(Contradiction contradiction) { contradictions_.push_back(std::move(contradiction)); }
  // The rule could not look for this finding, and why. Not the same as having looked and not found.
  void NotChecked(std::string_view id, std::string why);

  const std::deque<Finding>& all() const { return all_; }
  const Finding* Find(std::string_view id) const;  // nullptr: not found
  bool Has(std::string_view id) const { return Find(id) != nullptr; }
  const std::vector<Contradiction>& contradictions() const { return contradictions_; }
  struct Unchecked {
    const FindingInfo* info;
    std::string why;
  };
  const std::vector<Unchecked>& unchecked() const { return unchecked_; }

 private:
  std::deque<Finding> all_;
  std::vector<Contradiction> contradictions_;
  std::vector<Unchecked> unchecked_;
};

}  // namespace assay
