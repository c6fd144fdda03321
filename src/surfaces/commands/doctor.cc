// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>

#include "base/text.h"
#include "case/state_folder.h"
#include "case/version.h"
#include "evidence/probes/probe.h"
#include "evidence/probing/run_probes.h"
#include "knowledge/tables.h"
#include "surfaces/commands/command.h"
#include "surfaces/post_mortem.h"
#include "surfaces/wrapping.h"

namespace assay::commands {
namespace {

constexpr std::array<std::string_view, 1> kExamples{"assay doctor"};

void Declare(CLI::App& /*app*/) {}

void Print(const Session& session, const std::string& page) {
  const std::string text = WrapPage(page, session.width);
  std::fwrite(text.data(), 1, text.size(), session.out);
}

Result<ExitCode> Run(const Session& session) {
  Print(session, fmt::format("assay {}\n\nProbes of this machine:\n", kVersion));
  for (const Probe* probe : probes::All()) {
    Print(session, fmt::format("  {:<11}  {}\n{:15}reads {}\n", probe->id, probe->title, "", probe->reads));
    if (probe->privileges != "none") Print(session, fmt::format("{:15}to see more: {}\n", "", probe->privileges));
  }
  FactStore facts;
  RunProbes({.files = session.files, .project = AbsolutePath("."), .ties = {}}, facts);
  const FactView view(facts);
  Print(session, view.not_checked().empty() ? "\nAll of them can look at everything here.\n"
                                            : "\nWhat they could not look at just now:\n");
  for (const NotChecked& n : view.not_checked())
    Print(session, fmt::format("  {}: {}\n", Printable(n.what, 100), Printable(n.why, 200)));
  const auto own = ReadUserSignatures(session.files, AbsolutePath("."), "");
  Print(session, fmt::format("\nLog signatures of your own that count here: {}\n", own->all().size()));
  for (const UserSignatures::Refused& refused : own->refused())
    Print(session, fmt::format("  not read: {}, {}\n", Printable(refused.path, 200), refused.why));
  const std::string state = StateFolder(AbsolutePath("."), "");
  Print(session, fmt::format("\nCases are kept in {}\n\nEvidence that this version cannot look at, and how a later one will:\n",
                             state.empty() ? "no place: name one with --state" : Printable(state, 4096)));
  for (const SourceInfo& source : knowledge::EvidenceSources()) {
    if (!source.landed) Print(session, fmt::format("  {}: {}\n", source.title, source.how));
  }
  return ExitCode::kNothingWrong;
}

}  // namespace

extern const Command doctor;
constinit const Command doctor{
    .name = "doctor",
    .summary = "What this machine lets assay see, and how to give it more",
    .details = "Runs every probe once and says what it could not look at, and why.",
    .examples = kExamples,
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::commands
