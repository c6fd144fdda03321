// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "platform/file_system.h"
#include "platform/mounts.h"
#include "surfaces/command_line.h"
#include "surfaces/error_text.h"

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

// A standard descriptor that the caller closed would become the first file that is opened, and what is printed would go there.
// The substitute refuses to be used, so that output which nobody gets counts as lost.
void FillStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// A reader that closed its pipe early has what it wanted.
bool ReaderHasGone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that closes the pipe early is no failure of ours: write() then fails and the program ends quietly.
  std::signal(SIGPIPE, SIG_IGN);
  FillStandardDescriptors();
  const auto mounts = assay::RemoteMounts::OfThisProcess();
  const assay::RealFileSystem files("", &mounts);
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  const assay::Session session{.files = files,
                               .out = stdout,
                               .err = stderr,
                               .out_is_terminal = terminal,
                               .err_is_terminal = isatty(STDERR_FILENO) == 1,
                               .colour = terminal && ColourWanted(),
                               .width = TerminalWidth()};
  const int status = assay::RunCommandLine(argc, argv, session);
  errno = 0;
  if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0) || ReaderHasGone()) return status;
  const assay::Error error{.kind = assay::ErrorKind::kUnreadable,
                           .message = "not all of the output could be written",
                           .where = "standard output",
                           .reason = errno != 0 ? std::strerror(errno) : "a write failed"};
  std::fputs(assay::ErrorText(error, false).c_str(), stderr);
  return static_cast<int>(assay::ExitCode::kCouldNot);
}
