// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "platform/file_system.h"
#include "surfaces/command_line.h"

namespace {

std::size_t TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col < 120 ? size.ws_col : 120;
  return 80;
}

// NO_COLOR (no-color.org): set and not empty turns colours off.
bool ColourWanted() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that closes the pipe early is no failure of ours: write() then fails and the program ends quietly.
  std::signal(SIGPIPE, SIG_IGN);
  const assay::RealFileSystem files;
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  const assay::Session session{.files = files,
                               .out = stdout,
                               .err = stderr,
                               .out_is_terminal = terminal,
                               .err_is_terminal = isatty(STDERR_FILENO) == 1,
                               .colour = terminal && ColourWanted(),
                               .width = TerminalWidth()};
  const int status = assay::RunCommandLine(argc, argv, session);
  std::fflush(stdout);
  return status;
}
