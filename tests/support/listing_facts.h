// SPDX-License-Identifier: Apache-2.0
#pragma once

// Questions that tests ask of the readings in a store.

#include <string>
#include <string_view>
#include <vector>

#include "evidence/facts/fact_store.h"

namespace assay::testing {

// Values of all readings of this name, in order.
std::vector<double> Values(const FactStore& facts, std::string_view name);
// The first of them; fails the test when there is none.
double Value(const FactStore& facts, std::string_view name);
// The text of the first reading of this name; fails the test when there is none.
std::string TextOf(const FactStore& facts, std::string_view name);
// Every reading of `cut` stands in `whole` with the same value: cut input makes fewer facts, never other ones.
void ExpectNoNewReadings(const FactStore& cut, const FactStore& whole);

}  // namespace assay::testing
