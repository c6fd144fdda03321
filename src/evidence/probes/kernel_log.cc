// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/kernel_stamp.h"
#include "evidence/codecs/text_file.h"
#include "evidence/logs/log_reader.h"
#include "evidence/probes/probe.h"

// The first line of the captured text places the kernel's clock: "boot=SECONDS host=NAME"; the kernel's own lines follow.

namespace assay::probes {
namespace {

constexpr std::uint64_t kMaxText = std::uint64_t{16} << 20U;
constexpr std::string_view kWhat = "the kernel log";

double Now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Seconds since the epoch at which the kernel's clock stood at zero. /proc/stat says whole seconds only.
double BootTime(const ProbeContext& context) {
  if (context.is_this_machine) return Now(CLOCK_REALTIME) - Now(CLOCK_MONOTONIC);
  const auto stat = ReadWholeFile(context.files, "/proc/stat", 1 << 20);
  if (!stat.has_value()) return 0;
  const std::size_t at = stat->find("\nbtime ");
  if (at == std::string::npos) return 0;
  const auto number = ParseNumberPrefix(std::string_view(*stat).substr(at + 7));
  return number ? number->value : 0;
}

std::string Header(const ProbeContext& context) {
  const auto host = ReadWholeFile(context.files, "/proc/sys/kernel/hostname", 256);
  return "boot=" + std::to_string(BootTime(context)) + " host=" + (host.has_value() ? std::string(Trim(*host)) : std::string()) +
         "\n";
}

// One read gives one record; the end of the buffer is EAGAIN. EPIPE: records were overwritten meanwhile, the next read goes on.
std::string ReadKmsg(int descriptor) {
  std::string text;
  std::array<char, 8192> record{};
  while (text.size() < kMaxText) {
    const ssize_t n = read(descriptor, record.data(), record.size());
    if (n < 0 && (errno == EINTR || errno == EPIPE)) continue;
    if (n <= 0) break;
    text.append(record.data(), static_cast<std::size_t>(n));
  }
  return text;
}

void Collect(const ProbeContext& context, ProbeOutput& output) {
  output.Looking("/dev/kmsg");
  if (!context.is_this_machine) {
    const auto text = ReadWholeFile(context.files, "/dev/kmsg", kMaxText);
    if (!text.has_value()) return output.NotChecked(kWhat, "/dev/kmsg: " + text.error().reason);
    output.Text(Header(context));
    output.Text(*text);
    return;
  }
  const int descriptor = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const int refused = descriptor < 0 ? errno : 0;
  if (descriptor >= 0) {
    const std::string text = ReadKmsg(descriptor);
    close(descriptor);
    if (!text.empty()) {
      output.Text(Header(context));
      output.Text(text);
      return;
    }
  }
  // Who may not read the buffer may still be let into the journal or call dmesg.
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"dmesg"}, {"journalctl", "-k", "-b", "--no-pager", "-q", "-o", "short-monotonic"}}) {
    output.Looking(command[0]);
    const auto result = RunCommand(command, kCommandDeadline / 2, kMaxText);
    if (!result.has_value() || result->exit_status != 0 || result->output.empty()) continue;
    output.Text(Header(context));
    output.Text(result->output);
    return;
  }
  output.NotChecked(kWhat, refused != 0 ? std::string("/dev/kmsg: ") + std::strerror(refused) +
                                              ", and neither dmesg nor journalctl shows it to this user"
                                        : std::string("/dev/kmsg is empty, as in a container"));
}

void Interpret(const CapturedText& captured, const RunTies& ties, FactStore& facts) {
  const std::string_view header = captured.text.substr(0, captured.text.find('\n'));
  const std::size_t boot_at = header.find("boot=");
  const std::size_t host_at = header.find(" host=");
  if (boot_at != 0 || host_at == std::string_view::npos) return;
  const double boot = ParseNumber(header.substr(5, host_at - 5)).value_or(0);
  const std::string_view host = header.substr(host_at + 6);
  const TextFile file(captured.text);
  const auto stream = OpenStream(file);
  LogReader::Shared().Read(*stream, captured.source, {.origin = Origin::kKernelLog, .metrics = false}, facts);
  // It is no log of the run, whose end or shape could say something.
  std::erase_if(facts.Mutable<LogShape>(), [&](const LogShape& shape) { return shape.source == captured.source; });
  for (SignatureHit& hit : facts.Mutable<SignatureHit>()) {
    if (hit.cite.source != captured.source) continue;
    const auto stamp = ParseKernelStamp(hit.quote);
    if (stamp && stamp->since_boot && boot > 0) hit.time = Time{boot + *stamp->since_boot, true};
    hit.belongs_because = WhyKernelLineBelongs(hit, ties, hit.time, host, false);
  }
  // What the ring buffer no longer holds was not looked at.
  std::size_t line = header.size() + 1;
  if (line >= captured.text.size() || !ties.window || boot <= 0) return;
  const auto first = ParseKernelStamp(captured.text.substr(line, captured.text.find('\n', line) - line));
  if (!first || !first->since_boot) return;
  const double begins = boot + *first->since_boot;
  const bool since_boot = *first->since_boot < 60;
  if (ties.window->first + kKernelTolerance < begins) {
    facts.AddNotChecked("the kernel log before " + FormatTime({begins, true}),
                        since_boot ? "this machine was started then, after the run began"
                                   : "the kernel's buffer reaches no further back, and the run began earlier");
  }
}

}  // namespace

extern const Probe kernel_log;
constinit const Probe kernel_log{
    .id = "kernel-log",
    .title = "Kernel log: memory kills, device errors, faults, storage",
    .reads = "/dev/kmsg, else dmesg, else journalctl -k",
    .cost = "milliseconds",
    .privileges = "root, CAP_SYSLOG, or kernel.dmesg_restrict=0; the groups adm or systemd-journal for the journal",
    .collect = Collect,
    .interpret = Interpret,
};

}  // namespace assay::probes
