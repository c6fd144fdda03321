// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "base/time.h"
#include "evidence/discovery/discovery.h"
#include "surfaces/commands/command.h"
#include "surfaces/pages.h"
#include "surfaces/post_mortem.h"
#include "surfaces/wrapping.h"

namespace assay::commands {
namespace {

struct Options {
  std::string what;
  std::string project = ".";
  std::string format = "terminal";
};
Options options;

constexpr std::array<std::string_view, 3> kExamples{"assay list runs", "assay list causes", "assay list formats --format json"};

// "runs" and every catalogue.
std::string Names() {
  std::string names = "runs";
  for (const Catalogue& catalogue : Catalogues()) names += fmt::format(", {}", catalogue.name);
  return names;
}

void Declare(CLI::App& app) {
  options = {};
  app.add_option("what", options.what, "One of " + Names() + "; without it, how many of each there are")->option_text("[WHAT]");
  app.add_option("project", options.project, "Project whose runs are listed")->option_text("[DIR]");
  app.add_option("--format", options.format, "terminal or json")
      ->check(CLI::IsMember({"terminal", "json"}))
      ->option_text("FORMAT");
}

void Print(const Session& session, const std::string& text) { std::fwrite(text.data(), 1, text.size(), session.out); }

Result<ExitCode> ListRuns(const Session& session) {
  ASSAY_TRY(const ProjectScan scan, ScanProject(session.files, AbsolutePath(options.project)));
  ASSAY_TRY(const ChosenRun chosen, ChooseRun(scan, ""));
  if (options.format == "json") {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const FoundRun& run : scan.runs) {
      out.push_back({{"id", run.id},
                     {"folder", run.folder},
                     {"files", run.files.size()},
                     {"last_write", FormatTime({run.last_write, true})},
                     {"meant", &run == chosen.run}});
    }
    Print(session, out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return ExitCode::kNothingWrong;
  }
  for (const FoundRun& run : scan.runs) {
    Print(session, fmt::format("{} {:<40} {:>20}  {}  {}\n", &run == chosen.run ? "*" : " ", run.id,
                               FormatTime({std::floor(run.last_write), true}), Plural(run.files.size(), "file"),
                               run.folder.empty() ? "." : Printable(run.folder, 400)));
  }
  for (const LeftOut& left : scan.left_out)
    Print(session, fmt::format("left out: {} ({})\n", Printable(left.path, 200), left.why));
  return ExitCode::kNothingWrong;
}

Result<ExitCode> ListLists(const Session& session) {
  if (options.format == "json") {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const Catalogue& catalogue : Catalogues())
      out.push_back({{"id", catalogue.name}, {"entries", catalogue.entries().size()}});
    Print(session, out.dump(2) + "\n");
    return ExitCode::kNothingWrong;
  }
  Print(session, "assay list runs        the runs of a project\n");
  for (const Catalogue& catalogue : Catalogues())
    Print(session, fmt::format("assay list {:<11} {}\n", catalogue.name, catalogue.entries().size()));
  return ExitCode::kNothingWrong;
}

Result<ExitCode> Run(const Session& session) {
  if (options.what.empty()) return ListLists(session);
  if (options.what == "runs") return ListRuns(session);
  for (const Catalogue& catalogue : Catalogues()) {
    if (catalogue.name != options.what) continue;
    if (options.format == "json") {
      nlohmann::ordered_json out = nlohmann::ordered_json::array();
      for (const CatalogueEntry& e : catalogue.entries()) out.push_back({{"id", e.id}, {"title", e.title}, {"group", e.group}});
      Print(session, out.dump(2) + "\n");
    } else {
      // One line each for other programs; lines that fit for eyes.
      for (const CatalogueEntry& e : catalogue.entries()) {
        const std::string line = fmt::format("{:<30}  {}\n", e.id, e.title);
        Print(session, session.out_is_terminal ? WrapPage(line, session.width) : line);
      }
    }
    return ExitCode::kNothingWrong;
  }
  Error error{.kind = ErrorKind::kInvalidArgument,
              .message = fmt::format("there is no list of '{}'", Printable(options.what, 80))};
  error.help = "one of " + Names();
  return error;
}

}  // namespace

extern const Command list;
constinit const Command list{
    .name = "list",
    .summary = "The runs of a project, or what assay knows: causes, findings, rules, formats …",
    .details =
        "`assay list runs` marks with * the run that `assay` would look at. Everything listed has a page: `assay explain ID`.",
    .examples = kExamples,
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::commands
