// SPDX-License-Identifier: Apache-2.0
#include "surfaces/reports/report_format.h"

namespace assay::reports {
namespace {

std::string Render(const Report& report, const RenderOptions& /*options*/) { return ReportToJson(report); }

}  // namespace

extern const ReportFormat json;
constinit const ReportFormat json{.id = "json",
                                  .title = "The stable object for other programs",
                                  .media_type = "application/json",
                                  .extension = ".json",
                                  .render = Render};

}  // namespace assay::reports
