// SPDX-License-Identifier: Apache-2.0
#include "case/verify.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <map>
#include <string>

#include "base/text.h"
#include "case/ledger.h"
#include "surfaces/commands/command.h"
#include "surfaces/post_mortem.h"

namespace assay::commands {
namespace {

struct Options {
  std::string wanted;
  std::string project = ".";
  std::string state;
};
Options options;

constexpr std::array<std::string_view, 1> kExamples{"assay verify 1f0c2d"};

void Declare(CLI::App& app) {
  options = {};
  app.add_option("case", options.wanted, "Case id, a unique prefix of one, or a case folder")->required()->option_text("CASE");
  app.add_option("--project", options.project, "Project in whose state to look")->option_text("DIR");
  app.add_option("--state", options.state, "Folder in which the case is kept")->option_text("FOLDER");
}

Result<ExitCode> Run(const Session& session) {
  ASSAY_TRY(const std::string folder, FindCaseFolder(AbsolutePath(options.project), options.state, options.wanted));
  ASSAY_TRY(const ReadLedger ledger, ReadLedgerFile(folder + "/ledger.jsonl"));
  const auto read = ReadCaseReport(folder);
  if (!read.has_value() && !ledger.chain_holds) {
    const std::string text = fmt::format("does not hold: {}\n  ledger: the chain is broken: {}, before any report\n",
                                         Printable(folder, 4096), ledger.broken_because);
    std::fwrite(text.data(), 1, text.size(), session.out);
    return ExitCode::kFailureFound;
  }
  if (!read.has_value()) return read.error();
  const Report& report = *read;
  const std::vector<CheckedCitation> checked = VerifyCitations(report, session.files);
  std::map<CitationState, std::size_t> counts;
  std::string details;
  for (const CheckedCitation& c : checked) {
    ++counts[c.state];
    if (c.state == CitationState::kHolds || c.state == CitationState::kCaptured) continue;
    details += fmt::format("  {} {}: {}{}\n", c.evidence, Printable(c.source, 200), CitationStateName(c.state),
                           c.state == CitationState::kMoved ? fmt::format(" to byte {}", c.moved_to) : "");
  }
  const bool chain = ledger.chain_holds;
  // A citation that only moved is the same evidence at another place.
  const bool stands = counts[CitationState::kChanged] == 0 && counts[CitationState::kGone] == 0;
  std::string summary;
  for (const auto& [state, count] : counts) {
    if (count > 0) summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, CitationStateName(state));
  }
  const std::string text =
      fmt::format("{}: case {}\n  ledger: {}{}\n  {}: {}\n{}", chain && stands ? "holds" : "does not hold", report.case_id,
                  chain ? "the chain is whole" : "the chain is broken: " + ledger.broken_because,
                  ledger.cut ? ", its last line is half-written" : "", Plural(checked.size(), "citation"),
                  summary.empty() ? "none" : summary, details);
  std::fwrite(text.data(), 1, text.size(), session.out);
  return chain && stands ? ExitCode::kNothingWrong : ExitCode::kFailureFound;
}

}  // namespace

extern const Command verify;
constinit const Command verify{
    .name = "verify",
    .summary = "Check every citation of a case against its source, and the chain of its ledger",
    .details =
        "A citation holds while the same bytes stand at the same place, so a log that only grew still holds, and so "
        "does one whose lines moved. Exit status: 0 all hold, 1 a citation changed or is gone or the chain is broken, 2 the case "
        "could not be read.",
    .examples = kExamples,
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::commands
