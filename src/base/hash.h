// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay {

std::string Sha256Hex(std::string_view bytes);  // 64 lower-case hex digits

// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78) as TFRecord uses it; hardware instruction where the CPU has it.
std::uint32_t Crc32c(std::span<const std::byte> bytes);

}  // namespace assay
