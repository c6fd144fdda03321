// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/codecs/kernel_stamp.h"
#include "evidence/formats/format.h"
#include "evidence/logs/log_reader.h"

namespace assay::formats {
namespace {

// Such a line tells nothing of what the file is: the kernel prints plain text.
bool IsDamaged(std::string_view line) {
  return !IsValidUtf8(line) ||
         std::any_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && !IsSpace(c); });
}

// Most lines start with the kernel's clock. Prompts and the remarks of journalctl ("-- Boot … --") stand between.
Match Sniff(const ArtifactHead& head) {
  std::size_t kernel = 0;
  std::size_t other = 0;
  const std::string_view text = head.text();
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const bool cut = end == text.size();
    at = end + 1;
    if (cut || Trim(line).empty() || IsDamaged(line) || line.starts_with("-- ") || line.starts_with("$ ") ||
        line.starts_with("# ") || line.starts_with(' '))
      continue;
    ++(ParseKernelStamp(line) ? kernel : other);
    if (other > 8 && other > kernel) return Match::kNo;
  }
  const bool named = ContainsIgnoreCase(BaseName(head.path), "dmesg") || ContainsIgnoreCase(BaseName(head.path), "kern");
  return kernel > 0 && other * (named ? 1 : 4) <= kernel ? Match::kYes : Match::kNo;
}

// The log reader knows the clocks of loggers; the kernel's own are added here. Seconds since an unknown boot give no time.
void AddTimes(SourceId source, FactStore& facts) {
  for (SignatureHit& hit : facts.Mutable<SignatureHit>()) {
    if (hit.cite.source != source || hit.time) continue;
    if (const auto stamp = ParseKernelStamp(hit.quote)) hit.time = stamp->time;
  }
}

void Read(const Artifact& artifact, FactStore& facts) {
  const auto stream = OpenStream(artifact.file);
  artifact.logs.Read(*stream, artifact.source, {.origin = Origin::kKernelLog, .metrics = false}, facts);
  // It is no log of the run, whose end or shape could say something.
  std::erase_if(facts.Mutable<LogShape>(), [&](const LogShape& shape) { return shape.source == artifact.source; });
  AddTimes(artifact.source, facts);
}

}  // namespace

extern const Format dmesg_text;
constinit const Format dmesg_text{
    .id = "dmesg-text",
    .title = "Saved kernel log: dmesg, dmesg -T, journalctl -k, syslog, /dev/kmsg",
    .typical_names = "dmesg.txt, kern.log, journal.txt",
    .sample = "kernel_log/dmesg.txt",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
