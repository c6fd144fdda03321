// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/support/shrinking.h"

namespace assay {
namespace formats {
extern const Format status_note;
}
namespace {

using namespace assay::testing;  // NOLINT(google-build-using-namespace): every helper of this file
using formats::status_note;

constexpr std::string_view kPath = "docs/ops/runs/sft-7-status.md";

std::string Said(const FactView& facts, std::string_view name) {
  for (const NoteField& field : facts.All<NoteField>()) {
    if (field.name == name) return field.value;
  }
  return "(nothing)";
}

TEST(StatusNote, WhatAPersonWritesIsNoSetting) {
  const FactStore facts = ReadAs(status_note, kPath, "- lr: 0\n- num_workers: 0\n- device: cpu\n");
  const FactView view(facts);
  EXPECT_EQ(view.All<NoteField>().size(), 3U);
  EXPECT_TRUE(view.All<ConfigValue>().empty());
  EXPECT_TRUE(view.Config("lr").empty());
}

TEST(StatusNote, ReadsFieldsAndNothingThatIsQuoted) {
  const std::string bytes = Fixture("status_note/docs/ops/runs/sft-7-status.md");
  const FactStore facts = ReadAs(status_note, kPath, bytes);
  const FactView view(facts);
  EXPECT_EQ(Said(view, "state"), "running");
  EXPECT_EQ(Said(view, "job_id"), "4410982");
  EXPECT_EQ(Said(view, "hub_token"), "(not recorded)");
  EXPECT_EQ(Said(view, "next_step"), "resume from 4000");
  EXPECT_EQ(view.All<NoteField>().size(), 4U);
  EXPECT_TRUE(view.tables().empty());
  EXPECT_TRUE(view.All<SignatureHit>().empty());
  EXPECT_EQ(view.All<NoteField>()[0].cite.line, 3U);
}

TEST(StatusNote, IsClaimedByThisFormatAlone) {
  ExpectOnlyClaim(status_note);
  EXPECT_EQ(Sniffed(status_note, kPath, "# x\n"), Match::kYes);
  EXPECT_EQ(Sniffed(status_note, "README.md", "# x\n"), Match::kNo);
}

TEST(StatusNote, BearsDamage) {
  const std::string bytes = Fixture("status_note/docs/ops/runs/sft-7-status.md");
  ExpectFactsShrink(status_note, kPath, bytes);
  FlipEverywhere(status_note, kPath, bytes);
  EXPECT_EQ(AnomalyCount(ReadAs(status_note, kPath, ""), AnomalyKind::kEmpty), 1U);
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "- a: 1\n";
  EXPECT_LE(FactView(ReadAs(status_note, kPath, many)).All<NoteField>().size(), 1000U);
}

}  // namespace
}  // namespace assay
