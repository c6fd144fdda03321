// SPDX-License-Identifier: Apache-2.0
// measure OUTPUT COMMAND…: runs the command with its output in a file and prints wall seconds, processor seconds, peak resident
// KiB and exit status. A process inherits the peak of the one that starts it until it has its own memory: this starter is small.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: measure OUTPUT COMMAND...\n", stderr), 2;
  const int output = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (output < 0) return std::perror(argv[1]), 1;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) return std::perror("fork"), 1;
  if (child == 0) {
    dup2(output, STDOUT_FILENO);
    execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) < 0) return std::perror("wait4"), 1;
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
  std::printf("%.6f %.6f %ld %d\n", wall, seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss,
              WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
