// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>

#include "base/text.h"
#include "surfaces/commands/command.h"
#include "surfaces/pages.h"
#include "surfaces/post_mortem.h"
#include "surfaces/wrapping.h"

namespace assay::commands {
namespace {

struct Options {
  std::string id;
};
Options options;

constexpr std::array<std::string_view, 3> kExamples{"assay explain nan-fp16-range", "assay explain loss-hidden-nan",
                                                    "assay explain oom"};

void Declare(CLI::App& app) {
  options = {};
  app.add_option("id", options.id, "Id of anything that a report or `assay list` names")->required()->option_text("ID");
}

// F3, H1, E12, A2: the numbers that a report gives to what it holds.
bool IsNumberInReport(std::string_view id) {
  return id.size() >= 2 && std::string_view("FHEA").find(id.front()) != std::string_view::npos &&
         id.substr(1).find_first_not_of("0123456789") == std::string_view::npos;
}

Error NotFound() {
  Error error{.kind = ErrorKind::kNotFound,
              .message = fmt::format("nothing is called '{}'", Printable(options.id, 80)),
              .help = "`assay list` shows what there is"};
  if (IsNumberInReport(options.id)) {
    error.reason = "F, H, E and A numbers count within one report";
    error.help = "ask for the id beside it, as in `assay explain oom-host-limit`";
    return error;
  }
  for (const std::string& id : SimilarIds(options.id)) error.notes.push_back("did you mean " + id + "?");
  return error;
}

// Markdown, for eyes: samples and patterns stay whole, the rest fits the terminal, headings stand out.
std::string ForTerminal(std::string_view page, const Session& session) {
  std::string out;
  for (const std::string_view line : Split(page, '\n')) {
    if (line.starts_with("#") && session.colour) {
      out += fmt::format("\x1b[1m{}\x1b[0m\n", line);
    } else {
      out += line.starts_with("    ") ? fmt::format("{}\n", line) : WrapPage(fmt::format("{}\n", line), session.width);
    }
  }
  return out;
}

Result<ExitCode> Run(const Session& session) {
  auto page = PageOf(options.id);
  if (!page) {
    const auto own = ReadUserSignatures(session.files, AbsolutePath("."), "");
    if (const Signature* signature = own->Find(options.id)) page = SignaturePage(*signature);
  }
  if (!page) return NotFound();
  const std::string text =
      session.out_is_terminal ? ForTerminal(std::string_view(*page).substr(0, page->size() - 1), session) : *page;
  std::fwrite(text.data(), 1, text.size(), session.out);
  return ExitCode::kNothingWrong;
}

}  // namespace

extern const Command explain;
constinit const Command explain{
    .name = "explain",
    .summary = "The page of a class, cause, finding, rule, axis, signature, format or dialect",
    .details =
        "What it means, what speaks for and against it, what would confirm it, and what to do. Every id in lower case that a "
        "report prints has a page.",
    .examples = kExamples,
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::commands
