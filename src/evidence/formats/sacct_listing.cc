// SPDX-License-Identifier: Apache-2.0
#include "evidence/formats/format.h"
#include "evidence/listings/saved_listing.h"

namespace assay::formats {
namespace {

Match Sniff(const ArtifactHead& head) {
  return SniffSavedListing(head.text(), ListingKind::kScheduler) ? Match::kYes : Match::kNo;
}

void Read(const Artifact& artifact, FactStore& facts) {
  ReadSavedListing(artifact.file, artifact.source, artifact.path, artifact.logs, facts);
}

}  // namespace

extern const Format sacct_listing;
constinit const Format sacct_listing{
    .id = "sacct-listing",
    .title = "Saved output of sacct, scontrol show job, seff, squeue or kubectl get pods",
    .typical_names = "sacct.txt, scontrol.txt, seff.txt, squeue.txt, pods.txt",
    .sample = "sacct/sacct.txt",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
