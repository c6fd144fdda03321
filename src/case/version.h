// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

inline constexpr const char* kVersion = ASSAY_VERSION;  // from CMakeLists.txt

}  // namespace assay
