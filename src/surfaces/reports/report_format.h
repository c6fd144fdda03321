// SPDX-License-Identifier: Apache-2.0
#pragma once

// A report format is a pure function from a Report to bytes. All formats say the same sentences in the same five parts.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "case/report.h"

namespace assay {

struct RenderOptions {
  bool colour = false;
  std::size_t width = 80;
  bool explain = false;  // numbers of the ranking, all hypotheses and findings
};

struct ReportFormat {
  std::string_view id;  // word of --format
  std::string_view title;
  std::string_view media_type;
  std::string_view extension;
  std::string (*render)(const Report& report, const RenderOptions& options);
};

namespace reports {
std::span<const ReportFormat* const> All();

// nullptr when there is none.
inline const ReportFormat* Find(std::string_view id) {
  for (const ReportFormat* format : All()) {
    if (format->id == id) return format;
  }
  return nullptr;
}
}  // namespace reports

}  // namespace assay
