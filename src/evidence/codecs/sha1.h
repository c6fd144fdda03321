// SPDX-License-Identifier: Apache-2.0
#pragma once

// SHA-1 (FIPS 180-4), only to recognise git's blob ids; nothing relies on its strength. libsodium has none.

#include <array>
#include <cstdint>
#include <string_view>

namespace assay {

std::array<std::uint8_t, 20> Sha1(std::string_view bytes);

}  // namespace assay
