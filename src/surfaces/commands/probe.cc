// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>

#include "base/text.h"
#include "surfaces/commands/command.h"
#include "surfaces/post_mortem.h"
#include "surfaces/wrapping.h"

namespace assay::commands {
namespace {

struct Options {
  std::string project = ".";
  std::string run;
  std::string pid;
  bool all = false;
};
Options options;

constexpr std::array<std::string_view, 3> kExamples{"assay probe", "assay probe --run 4410982", "assay probe --pid 4242 --all"};

void Declare(CLI::App& app) {
  options = {};
  app.add_option("project", options.project, "Folder of the project or of one run")->option_text("[DIR]");
  app.add_option("--run", options.run, "Run id, a unique prefix of one, or a path in it; default: the newest")->option_text("ID");
  app.add_option("--pid", options.pid, "A process that belongs to the run, where its artifacts do not say so")
      ->option_text("N")
      ->check(CLI::Range(1, 4194304));
  app.add_flag("--all", options.all, "Also show readings that nothing ties to the run");
}

void Print(const Session& session, const std::string& page) {
  const std::string text = session.out_is_terminal ? WrapPage(page, session.width) : page;
  std::fwrite(text.data(), 1, text.size(), session.out);
}

std::string Value(const Reading& r) {
  if (!r.text.empty()) return Printable(r.text, 160);
  if (r.unit == "bytes") return FormatBytes(r.value);
  const bool bare = r.unit.empty() || r.unit == "count";
  return fmt::format("{}{}{}", FormatNumber(r.value), bare ? "" : " ", bare ? "" : r.unit);
}

// One line; `belongs` is why it is evidence for the run, or empty.
void Line(const Session& session, const FactView& facts, const std::string& what, const std::string& belongs,
          const Citation& cite) {
  if (belongs.empty() && !options.all) return;
  Print(session, fmt::format("  {}{} [{}]\n", what,
                             belongs.empty() ? " (nothing ties it to the run)" : fmt::format(" ({})", Printable(belongs, 200)),
                             Printable(facts.source(cite.source).path, 120)));
}

Result<ExitCode> Run(const Session& session) {
  ASSAY_TRY(const Evidence evidence, Gather(session, {.project = options.project, .run = options.run, .pid = options.pid}));
  const FactView facts(*evidence.facts);
  Print(session, fmt::format("run {} ({}), probed on this machine\n", evidence.run_id, evidence.chosen_because));
  std::size_t shown = 0;
  std::size_t untied = 0;
  const auto count = [&](const std::string& belongs) { ++(belongs.empty() ? untied : shown); };
  for (const ProcessSeen& p : facts.All<ProcessSeen>()) {
    count(p.belongs_because);
    Line(session, facts,
         fmt::format("process {} {} (state {}): {}", p.pid, Printable(p.name, 40), p.state, Printable(p.command, 120)),
         p.belongs_because, p.cite);
  }
  for (const SchedulerRecord& r : facts.All<SchedulerRecord>()) {
    count(r.belongs_because);
    Line(session, facts,
         fmt::format("job {}: {}{}", Printable(r.job, 60), Printable(r.state, 60),
                     r.reason.empty() ? "" : ", " + Printable(r.reason, 100)),
         r.belongs_because, r.cite);
  }
  for (const SignatureHit& h : facts.All<SignatureHit>()) {
    if (h.origin != Origin::kKernelLog) continue;
    count(h.belongs_because);
    Line(session, facts, fmt::format("kernel: {}", Printable(h.quote, 160)), h.belongs_because, h.cite);
  }
  for (const Reading& r : facts.All<Reading>()) {
    if (!r.live) continue;
    count(r.belongs_because);
    Line(session, facts, fmt::format("{}: {}", Printable(r.name, 80), Value(r)), r.belongs_because, r.cite);
  }
  if (shown == 0) Print(session, "  nothing on this machine belongs to the run\n");
  if (untied > 0 && !options.all)
    Print(session, fmt::format("  {} that nothing ties to the run; --all shows them\n", Plural(untied, "reading")));
  for (const NotChecked& n : facts.not_checked())
    Print(session, fmt::format("not checked: {} ({})\n", Printable(n.what, 160), Printable(n.why, 200)));
  return ExitCode::kNothingWrong;
}

}  // namespace

extern const Command probe;
constinit const Command probe{
    .name = "probe",
    .summary = "The probes alone: what this machine shows of the run now",
    .details =
        "Processes, kernel log, control groups, GPU, disk, scheduler. Read-only, two seconds at most. A reading counts for the "
        "run only if a host, process, control group, job, path or time of the run says so; what could not be looked at is listed "
        "as not checked.",
    .examples = kExamples,
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::commands
