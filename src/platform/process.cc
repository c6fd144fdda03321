// SPDX-License-Identifier: Apache-2.0
#include "platform/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace assay {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  bool Open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void CloseWrite() {
    if (write_end >= 0) close(write_end);
    write_end = -1;
  }
  ~Pipe() {
    CloseWrite();
    if (read_end >= 0) close(read_end);
  }
};

// Reads the pipes until all are at their end or the deadline has passed; false on the deadline. Bytes past the limit are dropped.
struct Capture {
  int descriptor;
  std::string* into;
  std::size_t limit;
};
bool Drain(std::vector<Capture> captures, SteadyClock::time_point deadline) {
  std::array<char, 65536> buffer{};
  while (!captures.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
    if (left <= 0) return false;
    std::vector<pollfd> polled;
    for (const Capture& c : captures) polled.push_back({.fd = c.descriptor, .events = POLLIN, .revents = 0});
    const int ready = poll(polled.data(), polled.size(), static_cast<int>(std::min<long long>(left, 1 << 30)));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    for (std::size_t i = polled.size(); i-- > 0;) {
      if (polled[i].revents == 0) continue;
      const ssize_t n = read(captures[i].descriptor, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        captures.erase(captures.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      std::string& into = *captures[i].into;
      into.append(buffer.data(),
                  std::min(static_cast<std::size_t>(n), captures[i].limit - std::min(captures[i].limit, into.size())));
    }
  }
  return true;
}

// The exit status, or nullopt by the deadline. A process in uninterruptible sleep ignores SIGKILL, so there is no blocking wait.
std::optional<int> WaitUntil(pid_t pid, SteadyClock::time_point deadline) {
  for (;;) {
    int status = 0;
    const pid_t done = waitpid(pid, &status, WNOHANG);
    if (done == pid) return status;
    if (done < 0 && errno != EINTR) return std::nullopt;
    if (SteadyClock::now() >= deadline) return std::nullopt;
    usleep(1000);
  }
}

void Kill(pid_t group) {
  kill(-group, SIGKILL);
  kill(group, SIGKILL);
  (void)WaitUntil(group, SteadyClock::now() + std::chrono::milliseconds(50));
}

// In a child, first: a group of its own, so that all of it can be killed, and an end with the parent, so that nothing is left
// behind when the parent is killed, be it assay or a child that ran into its deadline.
void BecomeDependent(pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it ended before the request was made
}

// In the child: all of it, or the end of the child when nobody reads any more.
void WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

SteadyClock::time_point After(double seconds) {
  return SteadyClock::now() + std::chrono::milliseconds(static_cast<long long>(seconds * 1000));
}

}  // namespace

Result<CommandResult> RunCommand(const std::vector<std::string>& argv, double deadline_seconds, std::size_t output_limit) {
  ASSAY_CHECK(!argv.empty());
  Pipe out;
  Pipe err;
  Pipe failed_exec;
  if (!out.Open() || !err.Open() || !failed_exec.Open()) {
    return Error{.kind = ErrorKind::kUnreadable, .message = "cannot run " + argv[0], .reason = std::strerror(errno)};
  }
  std::vector<char*> arguments;
  for (const std::string& a : argv)
    arguments.push_back(const_cast<char*>(a.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): execvp's signature
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return Error{.kind = ErrorKind::kUnreadable, .message = "cannot run " + argv[0], .reason = std::strerror(errno)};
  if (child == 0) {
    BecomeDependent(parent);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(out.write_end, STDOUT_FILENO);
    dup2(err.write_end, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    const int number = errno;
    (void)!write(failed_exec.write_end, &number, sizeof number);
    _exit(127);
  }
  setpgid(child, child);
  out.CloseWrite();
  err.CloseWrite();
  failed_exec.CloseWrite();
  int exec_error = 0;
  const ssize_t told = read(failed_exec.read_end, &exec_error, sizeof exec_error);
  const auto deadline = After(deadline_seconds);
  if (told == sizeof exec_error) {
    (void)WaitUntil(child, deadline);
    return Error{.kind = exec_error == ENOENT ? ErrorKind::kNotFound : ErrorKind::kUnreadable,
                 .message = "cannot run " + argv[0],
                 .reason = std::strerror(exec_error)};
  }
  CommandResult result;
  const bool drained = Drain({{out.read_end, &result.output, output_limit}, {err.read_end, &result.errors, 65536}}, deadline);
  const std::optional<int> status = drained ? WaitUntil(child, deadline) : std::nullopt;
  if (!status) {
    Kill(child);
    result.timed_out = true;
  } else if (WIFEXITED(*status)) {
    result.exit_status = WEXITSTATUS(*status);
  }
  return result;
}

std::optional<std::string> RunInChild(const std::function<std::string()>& work, double deadline_seconds) {
  std::vector<ChildOutput> outputs = RunInChildren({[&](const ChildWriter& write) { write(work()); }}, deadline_seconds);
  if (!outputs.front().finished) return std::nullopt;
  return std::move(outputs.front().text);
}

std::vector<ChildOutput> RunInChildren(const std::vector<std::function<void(const ChildWriter&)>>& work,
                                       double deadline_seconds) {
  std::vector<ChildOutput> outputs(work.size());
  std::vector<Pipe> pipes(work.size());
  std::vector<pid_t> children(work.size(), -1);
  const pid_t parent = getpid();
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (!pipes[i].Open()) continue;
    children[i] = fork();
    if (children[i] == 0) {
      BecomeDependent(parent);
      work[i]([&](std::string_view text) { WriteAll(pipes[i].write_end, text); });
      _exit(0);
    }
    if (children[i] > 0) setpgid(children[i], children[i]);
    pipes[i].CloseWrite();
  }
  const auto deadline = After(deadline_seconds);
  std::vector<Capture> captures;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (children[i] > 0) captures.push_back({pipes[i].read_end, &outputs[i].text, std::size_t{64} << 20U});
  }
  (void)Drain(std::move(captures), deadline);
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (children[i] <= 0) continue;
    const std::optional<int> status = WaitUntil(children[i], deadline);
    if (!status) Kill(children[i]);
    outputs[i].finished = status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
  }
  return outputs;
}

}  // namespace assay
