// SPDX-License-Identifier: Apache-2.0
#pragma once

// Questions about every byte of a large buffer, answered with vector instructions where the CPU has them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

std::uint64_t CountByte(std::string_view bytes, char wanted);

// Offset of the first byte of the first sequence that is not UTF-8 (a cut last sequence is none either); nullopt when all is.
std::optional<std::size_t> FirstInvalidUtf8(std::string_view bytes);

// Appends every place at which one of `wanted`, texts of one or two bytes, begins; in order.
void FindShort(std::string_view bytes, std::span<const std::string_view> wanted, std::vector<std::size_t>& places);

}  // namespace assay
