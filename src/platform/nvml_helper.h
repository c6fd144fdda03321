// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asks the NVIDIA driver through an embedded dynamic program (nvml_helper.c), because a static executable cannot load a library.
// The program is started from memory, so that nothing is written anywhere.

#include <string>

#include "base/result.h"
#include "platform/process.h"

namespace assay {

// JSON lines as nvml_helper.c describes them. `library`: the library to load, empty for the usual places. kUnsupported where this
// build has no helper for the processor, or the system does not let programs run from memory.
Result<CommandResult> RunNvmlHelper(const std::string& library, double deadline_seconds);

}  // namespace assay
