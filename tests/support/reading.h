// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reading artifacts in tests: literal bytes or committed fixtures in, a FactStore out; and the damage that every reader must
// bear.

#include <functional>
#include <string>
#include <string_view>

#include "evidence/facts/fact_store.h"
#include "evidence/formats/format.h"

namespace assay::testing {

// The bytes of tests/data/<name>; fails the test when there is no such file.
std::string Fixture(std::string_view name);

// What `format` makes of these bytes under this path.
FactStore ReadAs(const Format& format, std::string_view path, std::string_view bytes);
// What the log reader makes of this text.
FactStore ReadLogText(std::string_view text);

// Bounds that hold for every fact of the store: citations lie inside the artifact and are not reversed.
void ExpectCitationsInside(const FactStore& facts, std::uint64_t size);

// Reads every prefix of `bytes`, and every copy with one byte flipped (three patterns), through `format`: nothing may crash, hang
// or cite bytes that are not there. `each` sees what a prefix of this length gave. `step` > 1 thins long samples.
void CutEverywhere(const Format& format, std::string_view path, std::string_view bytes,
                   const std::function<void(std::size_t length, const FactStore&)>& each = {}, std::size_t step = 1);
void FlipEverywhere(const Format& format, std::string_view path, std::string_view bytes, std::size_t step = 1);

// All values of a column of the first table that has it, blanks left out.
std::vector<double> ColumnValues(const FactView& facts, std::string_view name);

}  // namespace assay::testing
