// SPDX-License-Identifier: Apache-2.0
#include "evidence/formats/format.h"
#include "evidence/listings/saved_listing.h"

namespace assay::formats {
namespace {

Match Sniff(const ArtifactHead& head) { return SniffSavedListing(head.text(), ListingKind::kHost) ? Match::kYes : Match::kNo; }

void Read(const Artifact& artifact, FactStore& facts) {
  ReadSavedListing(artifact.file, artifact.source, artifact.path, artifact.logs, facts);
}

}  // namespace

extern const Format process_listing;
constinit const Format process_listing{
    .id = "process-listing",
    .title = "Saved output of ps, free or ulimit, or of /proc/meminfo and /proc/PID/limits",
    .typical_names = "ps.txt, free.txt, limits.txt",
    .sample = "processes/ps.txt",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
