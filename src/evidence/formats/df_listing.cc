// SPDX-License-Identifier: Apache-2.0
#include "evidence/formats/format.h"
#include "evidence/listings/saved_listing.h"

namespace assay::formats {
namespace {

Match Sniff(const ArtifactHead& head) { return SniffSavedListing(head.text(), ListingKind::kDisk) ? Match::kYes : Match::kNo; }

void Read(const Artifact& artifact, FactStore& facts) {
  ReadSavedListing(artifact.file, artifact.source, artifact.path, artifact.logs, facts);
}

}  // namespace

extern const Format df_listing;
constinit const Format df_listing{
    .id = "df-listing",
    .title = "Saved output of df or quota",
    .typical_names = "df.txt, quota.txt",
    .sample = "df/df.txt",
    .sniff = Sniff,
    .read = Read,
};

}  // namespace assay::formats
