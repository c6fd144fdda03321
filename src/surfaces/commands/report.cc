// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>

#include "case/ledger.h"
#include "surfaces/commands/command.h"
#include "surfaces/post_mortem.h"
#include "surfaces/reports/report_format.h"

namespace assay::commands {
namespace {

struct Options {
  std::string wanted;
  std::string project = ".";
  std::string format = "terminal";
  std::string state;
  bool explain = false;
};
Options options;

constexpr std::array<std::string_view, 2> kExamples{"assay report 1f0c2d", "assay report 1f0c2d --format markdown"};

void Declare(CLI::App& app) {
  options = {};
  std::vector<std::string> formats;
  for (const ReportFormat* format : reports::All()) formats.emplace_back(format->id);
  app.add_option("case", options.wanted, "Case id, a unique prefix of one, or a case folder")->required()->option_text("CASE");
  app.add_option("--project", options.project, "Project in whose state to look")->option_text("DIR");
  app.add_option("--format", options.format, fmt::format("How to print the report: {}", fmt::join(formats, ", ")))
      ->check(CLI::IsMember(formats))
      ->option_text("FORMAT");
  app.add_option("--state", options.state, "Folder in which the case is kept")->option_text("FOLDER");
  app.add_flag("--explain", options.explain, "Show everything: all hypotheses with their ranking, all that was not checked");
}

Result<ExitCode> Run(const Session& session) {
  ASSAY_TRY(const std::string folder, FindCaseFolder(AbsolutePath(options.project), options.state, options.wanted));
  ASSAY_TRY(const Report report, ReadCaseReport(folder));
  const std::string text = reports::Find(options.format)
                               ->render(report, {.colour = session.colour && options.format == "terminal",
                                                 .width = session.width,
                                                 .explain = options.explain});
  std::fwrite(text.data(), 1, text.size(), session.out);
  return report.classes.empty() && report.verdict != "undetermined" ? ExitCode::kNothingWrong : ExitCode::kFailureFound;
}

}  // namespace

extern const Command report;
constinit const Command report{
    .name = "report",
    .summary = "Print the report of a case again, in any format",
    .details = "The case holds everything that the report says, so the artifacts of the run need not be there any more.",
    .examples = kExamples,
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::commands
