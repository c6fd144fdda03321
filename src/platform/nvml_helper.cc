// SPDX-License-Identifier: Apache-2.0
#include "platform/nvml_helper.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#ifdef ASSAY_NVML_HELPER
__asm__(
    ".section .rodata\n"
    ".global assay_nvml_helper_begin\n"
    ".global assay_nvml_helper_end\n"
    "assay_nvml_helper_begin:\n"
    ".incbin \"" ASSAY_NVML_HELPER
    "\"\n"
    "assay_nvml_helper_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" {
extern const char assay_nvml_helper_begin[];
extern const char assay_nvml_helper_end[];
}
#endif

namespace assay {

Result<CommandResult> RunNvmlHelper(const std::string& library, double deadline_seconds) {
  const Error refused{.kind = ErrorKind::kUnsupported, .message = "cannot ask the NVIDIA driver"};
#ifdef ASSAY_NVML_HELPER
  constexpr unsigned kExecutable = 0x10;  // MFD_EXEC, which kernels before 6.3 do not know and do not need
  int descriptor = memfd_create("assay-nvml", MFD_CLOEXEC | kExecutable);
  if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create("assay-nvml", MFD_CLOEXEC);
  if (descriptor < 0) {
    Error error = refused;
    error.reason = std::strerror(errno);
    return error;
  }
  const auto size = static_cast<std::size_t>(assay_nvml_helper_end - assay_nvml_helper_begin);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = write(descriptor, assay_nvml_helper_begin + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  std::vector<std::string> command{"/proc/self/fd/" + std::to_string(descriptor)};
  if (!library.empty()) command.push_back(library);
  auto result = RunCommand(command, deadline_seconds, std::size_t{4} << 20U);
  close(descriptor);
  if (!result.has_value()) {
    Error error = refused;
    error.reason = "the helper that asks NVML needs the C library of a Linux distribution (" + result.error().reason + ")";
    return error;
  }
  return result;
#else
  (void)library;
  (void)deadline_seconds;
  Error error = refused;
  error.reason = "this build has no helper for this processor";
  return error;
#endif
}

}  // namespace assay
