// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>

#include "case/ledger.h"
#include "case/state_folder.h"
#include "surfaces/commands/command.h"
#include "surfaces/error_text.h"
#include "surfaces/post_mortem.h"
#include "surfaces/reports/report_format.h"
#include "surfaces/written_note.h"

namespace assay::commands {
namespace {

struct Options {
  std::string project = ".";
  std::string run;
  std::string mode;
  std::string format = "terminal";
  std::string state;
  std::string note;
  bool explain = false;
  bool no_case = false;
  bool no_probes = false;
};
Options options;

constexpr std::array<std::string_view, 4> kExamples{
    "assay",
    "assay path/to/project --run 4410982",
    "assay runs/exp7 --mode nan --explain",
    "assay train.log --format json",
};

void Declare(CLI::App& app) {
  options = {};
  std::vector<std::string> formats;
  for (const ReportFormat* format : reports::All()) formats.emplace_back(format->id);
  app.add_option("project", options.project, "Folder of the project or of one run, or one log file")->option_text("[DIR]");
  app.add_option("--run", options.run, "Run id, a unique prefix of one, or a path in it; default: the newest")->option_text("ID");
  app.add_option("--mode", options.mode, "Say of this kind of failure as well whether it was found")
      ->check(CLI::IsMember({"nan", "oom", "slow", "metric", "repro", "crash"}))
      ->option_text("nan|oom|slow|metric|repro|crash");
  app.add_option("--format", options.format, fmt::format("How to print the report: {}", fmt::join(formats, ", ")))
      ->check(CLI::IsMember(formats))
      ->option_text("FORMAT");
  app.add_option("--note", options.note, "Write the report as Markdown to this file as well")->option_text("FILE");
  app.add_option("--state", options.state, "Keep the case here instead of in PROJECT/.assay")->option_text("FOLDER");
  app.add_flag("--explain", options.explain, "Show everything: all hypotheses with their ranking, all that was not checked");
  app.add_flag("--no-probes", options.no_probes, "Read the artifacts alone; do not look at this machine");
  app.add_flag("--no-case", options.no_case, "Keep nothing: print the report only");
}

Result<ExitCode> Run(const Session& session) {
  ASSAY_TRY(const PostMortem examined, Examine(session, {.project = options.project,
                                                         .run = options.run,
                                                         .mode = options.mode,
                                                         .state = options.state,
                                                         .probes = !options.no_probes}));
  const Report& report = examined.report;
  const RenderOptions render{
      .colour = session.colour && options.format == "terminal", .width = session.width, .explain = options.explain};
  const std::string text = reports::Find(options.format)->render(report, render);
  // The case is on disk before the report names it.
  if (!options.no_case) {
    const auto written = WriteCase(StateFolder(AbsolutePath(options.project), options.state), report);
    // The report is the product; a case that cannot be kept (full disk, foreign folder) must not take it away.
    if (!written.has_value()) std::fputs(ErrorText(written.error(), session.colour).c_str(), session.err);
  }
  std::fwrite(text.data(), 1, text.size(), session.out);
  ASSAY_TRY_STATUS(WriteNote(AbsolutePath(options.project), options.note, report));
  if (!report.classes.empty() || report.verdict == "undetermined") return ExitCode::kFailureFound;
  return examined.unreadable > 0 ? ExitCode::kCouldNot : ExitCode::kNothingWrong;
}

}  // namespace

extern const Command diagnose;
constinit const Command diagnose{
    .name = "diagnose",
    .summary = "Post-mortem of a run: what happened, what it might be, what to do next",
    .details =
        "Reads what the run left behind and changes nothing in it. The report has five parts: what the probes showed, "
        "hypotheses, experiments, cause or uncertainty, next action. Exit status: 0 nothing wrong found, 1 a failure was found "
        "or too little is known, 2 it could not look.",
    .examples = kExamples,
    .is_default = true,
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::commands
