// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/literal_facts.h"
#include "tests/support/rule_check.h"

namespace assay {
namespace {

using testing::AddConfig;
using testing::Conclude;
using testing::Ids;
using testing::IsNotChecked;

void AddMount(FactStore& facts, std::string_view name, std::string_view text) {
  testing::AddReading(facts, name, 1e12, facts.Mutable<Reading>().size() + 1);
  facts.Mutable<Reading>().back().text = std::string(text);
}

FactStore DataAt(std::string_view path) {
  FactStore facts;
  AddConfig(facts, "data.data_dir", path);
  AddMount(facts, "disk./.size", "/dev/nvme0n1p2");
  AddMount(facts, "disk./mnt/shared.size", "filer:/export/sets");
  AddMount(facts, "disk./mnt/s3.type", "fuse.s3fs");
  return facts;
}

TEST(DataMounts, FindsTheMountOfTheData) {
  EXPECT_EQ(Ids(Conclude("data-mounts", DataAt("/mnt/shared/herbarium")), "data-mounts"), "mount-network");
  EXPECT_EQ(Ids(Conclude("data-mounts", DataAt("/mnt/s3/clips")), "data-mounts"), "mount-fuse");
}

TEST(DataMounts, LeavesLocalDisksAlone) {
  EXPECT_EQ(Ids(Conclude("data-mounts", DataAt("/scratch/herbarium")), "data-mounts"), "");
  EXPECT_EQ(Ids(Conclude("data-mounts", DataAt("/mnt/shared2/herbarium")), "data-mounts"), "");
}

TEST(DataMounts, SaysWhenThePathIsUnknown) { EXPECT_TRUE(IsNotChecked(Conclude("data-mounts", FactStore()), "mount-network")); }

}  // namespace
}  // namespace assay
