// SPDX-License-Identifier: Apache-2.0
#include "tests/support/listing_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::testing {

std::vector<double> Values(const FactStore& facts, std::string_view name) {
  std::vector<double> values;
  for (const Reading& reading : FactView(facts).All<Reading>()) {
    if (reading.name == name) values.push_back(reading.value);
  }
  return values;
}

double Value(const FactStore& facts, std::string_view name) {
  const std::vector<double> values = Values(facts, name);
  EXPECT_FALSE(values.empty()) << "no reading " << name;
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : values.front();
}

std::string TextOf(const FactStore& facts, std::string_view name) {
  for (const Reading& reading : FactView(facts).All<Reading>()) {
    if (reading.name == name) return reading.text;
  }
  ADD_FAILURE() << "no reading " << name;
  return {};
}

void ExpectNoNewReadings(const FactStore& cut, const FactStore& whole) {
  const auto all = FactView(whole).All<Reading>();
  for (const Reading& reading : FactView(cut).All<Reading>()) {
    const bool found = std::any_of(all.begin(), all.end(), [&](const Reading& r) {
      return r.name == reading.name && (r.value == reading.value || (std::isnan(r.value) && std::isnan(reading.value))) &&
             r.text == reading.text;
    });
    EXPECT_TRUE(found) << reading.name << " = " << reading.value << " " << reading.text;
  }
}

}  // namespace assay::testing
