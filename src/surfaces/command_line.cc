// SPDX-License-Identifier: Apache-2.0
#include "surfaces/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/text.h"
#include "case/version.h"
#include "surfaces/error_text.h"
#include "surfaces/wrapping.h"

namespace assay {
namespace {

std::string Footer(const Command& command) {
  std::string out(command.details);
  if (!command.examples.empty()) out += "\n\nExamples:";
  for (const std::string_view example : command.examples) out += fmt::format("\n  {}", example);
  return out;
}

std::string Overview() {
  std::string out = "Commands:\n";
  for (const Command* command : commands::All()) out += fmt::format("  {:<10} {}\n", command->name, command->summary);
  return out +
         "\nWithout a command: diagnose. `assay COMMAND --help` says more.\n"
         "Exit status: 0 nothing wrong found, 1 a failure was found, 2 could not do what was asked, 130 interrupted.\n";
}

// The command named by the first word, or the default one; `shift` is how many words it took.
const Command* Select(int argc, const char* const* argv, int& shift) {
  shift = 0;
  if (argc > 1) {
    if (const Command* named = commands::Find(argv[1])) {
      shift = 1;
      return named;
    }
  }
  for (const Command* command : commands::All()) {
    if (command->is_default) return command;
  }
  return nullptr;
}

// A bare word that is neither a command nor a path was meant as a command.
bool MeantAsCommand(const Session& session, std::string_view word) {
  return !word.empty() && !word.starts_with('-') && word.find_first_of("/.") == std::string_view::npos &&
         !session.files.Stat(std::string(word)).has_value();
}

Error NoSuchCommand(std::string_view word) {
  Error error{.kind = ErrorKind::kInvalidArgument,
              .message = fmt::format("there is no command, folder or file '{}'", Printable(word, 80)),
              .help = "`assay --help` lists the commands"};
  for (const Command* command : commands::All()) {
    if (EditDistance(word, command->name, 2) <= 2) error.help = fmt::format("did you mean `assay {}`?", command->name);
  }
  return error;
}

Error NotUnderstood(const CLI::ParseError& e, const CLI::App& app, const Command& command) {
  Error error{.kind = ErrorKind::kInvalidArgument,
              .message = e.what(),
              .help = fmt::format("for example `{}`; `{} --help` says more", command.examples.front(), app.get_name())};
  for (const std::string& word : app.remaining()) {
    if (!word.starts_with("--")) continue;
    for (const CLI::Option* option : app.get_options()) {
      const std::string name = option->get_lnames().empty() ? "" : "--" + option->get_lnames().front();
      if (!name.empty() && EditDistance(word, name, 2) <= 2) error.help = fmt::format("did you mean `{}`?", name);
    }
  }
  return error;
}

int Fail(const Session& session, const Error& error) {
  std::fputs(ErrorText(error, session.colour && session.err_is_terminal).c_str(), session.err);
  return static_cast<int>(error.kind == ErrorKind::kInterrupted ? ExitCode::kInterrupted : ExitCode::kCouldNot);
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv, const Session& session) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--version" || first == "-V") {
    std::fputs(fmt::format("assay {}\n", kVersion).c_str(), session.out);
    return 0;
  }
  int shift = 0;
  const Command* command = Select(argc, argv, shift);
  if (shift == 0) {
    if (MeantAsCommand(session, first)) return Fail(session, NoSuchCommand(first));
  }
  CLI::App app(std::string(command->summary), shift == 0 ? "assay" : fmt::format("assay {}", command->name));
  app.get_formatter()->column_width(26);
  app.footer(shift == 0 ? Footer(*command) + "\n\n" + Overview() : Footer(*command));
  command->declare(app);
  try {
    app.parse(argc - shift, argv + shift);
  } catch (const CLI::CallForHelp&) {
    std::fputs(WrapPage(app.help(), session.width).c_str(), session.out);
    return 0;
  } catch (const CLI::ParseError& e) {
    return Fail(session, NotUnderstood(e, app, *command));
  }
  auto result = command->run(session);
  if (!result.has_value()) return Fail(session, result.error());
  return static_cast<int>(*result);
}

}  // namespace assay
