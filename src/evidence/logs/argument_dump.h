// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arguments that a program prints when it starts: "Namespace(lr=0.1, …)" of argparse, "args: {'lr': 0.1, …}", the lines of
// "TrainingArguments(" (transformers), the dotted table of Megatron-LM between "--- arguments ---" lines, and "  --lr 0.1" one a
// line. They are what the run really ran with, so they become ConfigValue facts "args.<name>" of origin kArguments. A value
// without its closing comma or bracket is cut and is no fact.

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "evidence/facts/fact_store.h"

namespace assay {

class ArgumentDump {
 public:
  explicit ArgumentDump(FactStore& facts) : facts_(facts) {}

  // At least one of these bytes stands in the first line of every dump.
  static std::span<const std::string_view> Triggers();

  // A line that holds a trigger. It may open a dump that goes on in the lines below.
  void Start(std::string_view text, const Citation& cite, std::optional<int> rank, bool complete);

  // True while the lines below belong to a dump.
  bool open() const { return shape_ != Shape::kNone; }
  // The next line of the log. False when it is not the dump's: another rank's, or a line that ends the dump by being none of it.
  bool Line(std::string_view text, const Citation& cite, std::optional<int> rank, bool complete);

 private:
  enum class Shape { kNone, kCall, kTable, kAssignments };
  void Pairs(std::string_view text, char separator, const std::string& prefix, const Citation& cite, int depth);
  void Push(const std::string& key, std::string_view value, const Citation& cite);

  FactStore& facts_;
  Shape shape_ = Shape::kNone;
  std::optional<int> rank_;
  std::size_t lines_ = 0;
  std::set<std::string> seen_;  // every rank prints the same
};

}  // namespace assay
