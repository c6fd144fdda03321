// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace assay {

// The one way in which an Error is shown: what, where, why, notes, help.
std::string ErrorText(const Error& error, bool colour);

}  // namespace assay
