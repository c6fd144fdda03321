// SPDX-License-Identifier: Apache-2.0
#include "evidence/formats/format.h"
#include "evidence/listings/saved_listing.h"

namespace assay::formats {
namespace {

Match Sniff(const ArtifactHead& head) { return SniffSavedListing(head.text(), ListingKind::kGpu) ? Match::kYes : Match::kNo; }

void Read(const Artifact& artifact, FactStore& facts) {
  ReadSavedListing(artifact.file, artifact.source, artifact.path, artifact.logs, facts);
}

}  // namespace

extern const Format nvidia_smi_listing;
constinit const Format nvidia_smi_listing{
    .id = "nvidia-smi-listing",
    .title = "Saved output of nvidia-smi",
    .typical_names = "nvidia-smi.txt, nvidia-smi.csv, gpu.txt",
    .sample = "nvidia_smi/table.txt",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
