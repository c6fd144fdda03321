// SPDX-License-Identifier: Apache-2.0
#pragma once

// One line of Docker's json-file driver: {"log":"text\\n","stream":"stdout","time":"2026-01-01T00:00:00.000000000Z"}.
// Source: docs.docker.com, json-file logging driver.

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace assay {

// What the program printed, without its newline, into `text`; false when the line is no such object. A line that was cut gives
// what stands of the text, and `complete` tells.
bool UnwrapDockerLine(std::string_view line, std::string& text, std::optional<Time>& time, bool& complete);

}  // namespace assay
