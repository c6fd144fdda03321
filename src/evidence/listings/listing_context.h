// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the readers of one saved listing share. A listing is what a person kept of a tool's output beside a run: one file often
// holds several (`df` and `df -i`, `nvidia-smi` and `ps`), with prompts and dates between them.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "evidence/facts/fact_store.h"

namespace assay {

struct ListingLine {
  std::string_view text;  // without its newline; a task number of `srun -l` is taken off
  Citation cite;
};

struct ListingContext {
  FactStore& facts;
  std::string because;       // why what stands here is evidence for the run
  std::optional<Time> time;  // last printed before this line
  std::string command;       // the prompt line above, without the prompt
  std::size_t kept = 0;      // readings pushed

  // At most this many of one source: a listing is made by people, so that more is no listing but a flood.
  static constexpr std::size_t kMaxReadings = 20000;

  void Number(std::string name, double value, std::string unit, const Citation& cite, std::string text = {}) {
    if (kept++ >= kMaxReadings) return;
    facts.Add<Reading>({.name = std::move(name),
                        .value = value,
                        .text = std::move(text),
                        .unit = std::move(unit),
                        .belongs_because = because,
                        .time = time,
                        .cite = cite});
  }
  void Text(std::string name, std::string_view text, const Citation& cite) {
    if (kept++ >= kMaxReadings) return;
    facts.Add<Reading>({.name = std::move(name),
                        .text = std::string(text.substr(0, 256)),
                        .belongs_because = because,
                        .time = time,
                        .cite = cite});
  }
};

// The words of a row between blanks.
std::vector<std::string_view> Columns(std::string_view row);

// Text up to the end of the row from where the `n`-th word starts; empty when there are fewer.
std::string_view FromColumn(std::string_view row, std::size_t n);

}  // namespace assay
