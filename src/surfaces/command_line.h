// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "surfaces/commands/command.h"

namespace assay {

// The whole program behind main: parses, runs one command, prints its Error, returns the exit status.
int RunCommandLine(int argc, const char* const* argv, const Session& session);

}  // namespace assay
