// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "evidence/codecs/byte_stream.h"
#include "evidence/formats/format.h"
#include "evidence/listings/listing_reader.h"
#include "evidence/logs/log_reader.h"

namespace assay::formats {
namespace {

// Text of any kind is only "maybe" a log: a format that knows its own content goes first, and discovery decides by name whether
// an unclaimed text is worth reading.
Match Sniff(const ArtifactHead& head) {
  constexpr std::array<std::string_view, 6> kNames{".log", ".out", ".err", ".txt", ".stdout", ".stderr"};
  std::size_t odd = 0;
  for (const char c : head.text()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && !IsSpace(c) && c != '\x1b' && c != '\b' && c != '\0' && c != '\a') ++odd;
  }
  if (odd * 50 > head.bytes.size()) return Match::kNo;
  std::string_view name = BaseName(head.path);
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  for (const std::string_view ending : kNames) {
    if (name.ends_with(ending) || name.find(std::string(ending) + ".") != std::string_view::npos) return Match::kMaybe;
  }
  // "train.o4411" and "train.e4411" of PBS and SGE, "train.INFO" of absl, "log.rank0".
  const std::string_view extension = Extension(name);
  if (extension == ".INFO") return Match::kMaybe;
  const bool numbered = extension.size() > 2 && (extension[1] == 'o' || extension[1] == 'e') &&
                        std::all_of(extension.begin() + 2, extension.end(), IsDigit);
  return numbered || name.starts_with("log.") || extension.empty() ? Match::kMaybe : Match::kNo;
}

// Tables of nvidia-smi and df that the run printed into its own log.
void ReadTables(const Artifact& artifact, FactStore& facts) {
  constexpr std::uint64_t kFarthest = std::uint64_t{256} << 20;  // bytes: a second pass over more would be felt
  std::vector<std::uint64_t> heads;
  for (const SignatureHit* hit : FactView(facts).Hits("table-printed")) {
    if (hit->cite.source == artifact.source && hit->cite.begin < kFarthest) heads.push_back(hit->cite.begin);
  }
  if (heads.empty()) return;
  std::sort(heads.begin(), heads.end());
  const auto again = OpenStream(artifact.file);
  ReadPrintedTables(*again, artifact.source, artifact.path, heads, facts);
}

void Read(const Artifact& artifact, FactStore& facts) {
  const auto stream = OpenStream(artifact.file);
  artifact.logs.Read(*stream, artifact.source, {}, facts);
  ReadTables(artifact, facts);
}

}  // namespace

extern const Format text_log;
constinit const Format text_log{
    .id = "text-log",
    .title = "Text log of a run, plain or compressed (gzip, zstd)",
    .typical_names = "*.log, *.out, *.err, slurm-*.out, output.log, *.log.1, *.log.gz",
    .sample = "hf_trainer/finished/train.log",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
