// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <string>

#include "evidence/probes/probe.h"

namespace assay {

// One frame: kind, eight hexadecimal digits of the payload's length, payload.
void ProbeOutput::Frame(char kind, std::string_view payload) {
  std::string frame(9, '0');
  frame[0] = kind;
  std::string digits(8, '0');
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), payload.size(), 16);
  if (error != std::errc{}) return;  // more than 4 GiB
  const auto length = static_cast<std::size_t>(end - digits.data());
  std::copy_n(digits.begin(), length, frame.begin() + static_cast<std::ptrdiff_t>(9 - length));
  write_(frame.append(payload));
}

}  // namespace assay
