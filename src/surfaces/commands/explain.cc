// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>

#include "base/text.h"
#include "surfaces/commands/command.h"
#include "surfaces/pages.h"
#include "surfaces/post_mortem.h"

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
  app.add_option("id", options.id, "Id of a class, cause, finding, rule, axis, signature, format or dialect")
      ->required()
      ->option_text("ID");
}

Result<ExitCode> Run(const Session& session) {
  auto page = PageOf(options.id);
  if (!page) {
    const auto own = ReadUserSignatures(session.files, AbsolutePath("."), "");
    if (const Signature* signature = own->Find(options.id)) page = SignaturePage(*signature);
  }
  if (!page) {
    Error error{.kind = ErrorKind::kNotFound,
                .message = fmt::format("nothing is called '{}'", Printable(options.id, 80)),
                .help = "`assay list` shows what there is"};
    for (const std::string& id : SimilarIds(options.id)) error.notes.push_back("did you mean " + id + "?");
    return error;
  }
  std::fwrite(page->data(), 1, page->size(), session.out);
  return ExitCode::kNothingWrong;
}

}  // namespace

extern const Command explain;
constinit const Command explain{
    .name = "explain",
    .summary = "The page of a class, cause, finding, rule, axis, signature, format or dialect",
    .details =
        "What it means, what speaks for and against it, what would confirm it, and what to do. Every id that a report prints has "
        "a page.",
    .examples = kExamples,
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::commands
