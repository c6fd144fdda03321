// SPDX-License-Identifier: Apache-2.0
#include "surfaces/error_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace assay {

std::string ErrorText(const Error& error, bool colour) {
  std::string out = fmt::format("{}error:{} {}\n", colour ? "\x1b[1;31m" : "", colour ? "\x1b[0m" : "", Printable(error.message));
  if (!error.where.empty()) out += fmt::format(" --> {}\n", Printable(error.where, 4096));
  if (!error.reason.empty()) out += fmt::format("reason: {}\n", Printable(error.reason));
  for (const std::string& note : error.notes) out += fmt::format("note: {}\n", Printable(note));
  if (!error.help.empty()) out += fmt::format("help: {}\n", Printable(error.help));
  return out;
}

}  // namespace assay
