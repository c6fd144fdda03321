// SPDX-License-Identifier: Apache-2.0
#pragma once

// The promise of every reader of text: when an artifact is cut, it yields fewer facts, never other ones.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "tests/support/reading.h"

namespace assay::testing {

// Every configured value and every metric cell of the store, each as one line of text.
inline std::multiset<std::string> FactLines(const FactStore& facts) {
  const FactView view(facts);
  std::multiset<std::string> lines;
  for (const ConfigValue& v : view.All<ConfigValue>()) {
    lines.insert(v.key + "=" + v.value + "@" + std::to_string(v.cite.begin));
  }
  for (const MetricTable& table : view.tables()) {
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      const MetricRow& r = table.row(row);
      lines.insert("row@" + std::to_string(r.offset) + " step " + std::to_string(r.step) + " epoch " + std::to_string(r.epoch));
      for (std::size_t column = 0; column < table.columns().size(); ++column) {
        const auto value = table.At(row, column);
        if (value)
          lines.insert("cell@" + std::to_string(r.offset) + " " + table.columns()[column].name + "=" + std::to_string(*value));
      }
    }
  }
  return lines;
}

// Cuts `bytes` at every length (every `step`th) and compares with what the whole gives.
inline void ExpectFactsShrink(const Format& format, std::string_view path, std::string_view bytes, std::size_t step = 1) {
  const std::multiset<std::string> whole = FactLines(ReadAs(format, path, bytes));
  CutEverywhere(
      format, path, bytes,
      [&](std::size_t, const FactStore& facts) {
        for (const std::string& line : FactLines(facts)) EXPECT_TRUE(whole.contains(line)) << line;
      },
      step);
}

// The text of the only value at this key, or "(none)", or "(several)".
inline std::string ConfigText(const FactStore& facts, std::string_view key) {
  std::string text = "(none)";
  for (const ConfigValue& v : FactView(facts).All<ConfigValue>()) {
    if (v.key == key) text = text == "(none)" ? v.value : "(several)";
  }
  return text;
}

inline Match Sniffed(const Format& format, std::string_view path, std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  return format.sniff({.path = path, .bytes = std::as_bytes(std::span(head)), .size = bytes.size()});
}

// The sample of the format is claimed by it, and by no other format as surely.
inline void ExpectOnlyClaim(const Format& format) {
  const std::string bytes = Fixture(format.sample);
  for (const Format* other : formats::All()) {
    const Match match = Sniffed(*other, format.sample, bytes);
    if (other->id == format.id) {
      EXPECT_EQ(match, Match::kYes);
    } else {
      EXPECT_NE(match, Match::kYes) << other->id;
    }
  }
}

inline std::size_t AnomalyCount(const FactStore& facts, AnomalyKind kind) {
  std::size_t count = 0;
  for (const Anomaly& a : FactView(facts).anomalies()) count += a.kind == kind ? 1 : 0;
  return count;
}

}  // namespace assay::testing
